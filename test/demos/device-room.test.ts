/** The double of the device room: bounds, keys, broken lines. */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { CapabilityError, NotApplied, type Capability } from '../../src/capabilities/index.ts';
import { roomCapabilities } from '../../examples/control-room/capabilities.ts';
import { READABLE, SUPPLIES, SUPPLY_CHANNELS } from '../../examples/control-room/channels.ts';
import { createDeviceRoom, LineBroken } from '../../examples/control-room/device-room.ts';
import { playRoom, type RoomRequest } from '../../examples/control-room/room-rules.ts';

const folder = mkdtempSync(join(tmpdir(), 'planwright-room-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let rooms = 0;
const freshFile = () => join(folder, 'below', `${++rooms}.jsonl`);

const STEER = 'STEER:1:OFFSET';
const QUAD = 'QUAD:1:CURRENT';
const SHUTTER = 'SHUTTER:1';

type Sent = readonly [channel: string, value: number, key: string];

function requestsOf(...sent: readonly Sent[]): readonly RoomRequest[] {
  return sent.map(([channel, value, key], at) => ({ id: `${at}`, at: `second ${at}`, pid: 1, channel, value, key }));
}

describe('what the room does with requests', () => {
  test.each<[what: string, sent: readonly Sent[], verdicts: readonly string[]]>([
    ['takes a set point within bounds and ramp', [[QUAD, 46, 'a']], ['applied']],
    [
      'takes the very bound',
      [
        [STEER, 1, 'a'],
        [STEER, 2, 'b'],
      ],
      ['applied', 'applied'],
    ],
    [
      'takes steps of the ramp',
      [
        [QUAD, 50, 'a'],
        [QUAD, 60, 'b'],
        [QUAD, 50, 'c'],
      ],
      ['applied', 'applied', 'applied'],
    ],
    ['refuses more than the ramp', [[QUAD, 50.5, 'a']], ['refused']],
    [
      'refuses what is out of bounds',
      [
        [STEER, 1, 'a'],
        [STEER, 2.01, 'b'],
      ],
      ['applied', 'refused'],
    ],
    ['refuses what is no number', [[QUAD, Number.NaN, 'a']], ['refused']],
    ['refuses a channel that is not there', [['QUAD:2:CURRENT', 40, 'a']], ['refused']],
    ['refuses to write to a monitor', [['BPM:1:X', 0, 'a']], ['refused']],
    ['refuses to take the name of a property for a channel', [['constructor', 0, 'a']], ['refused']],
    [
      'recognises a repeated key, also much later',
      [
        [QUAD, 46, 'a'],
        [QUAD, 48, 'b'],
        [QUAD, 46, 'a'],
      ],
      ['applied', 'applied', 'recognised'],
    ],
    [
      'knows a key at its own channel only',
      [
        [QUAD, 46, 'a'],
        [STEER, 0.4, 'a'],
      ],
      ['applied', 'applied'],
    ],
    [
      'does not hold a refusal against a key',
      [
        [QUAD, 60, 'a'],
        [QUAD, 50, 'b'],
        [QUAD, 60, 'a'],
      ],
      ['refused', 'applied', 'applied'],
    ],
    [
      'fires the shutter as often as it is asked to, whatever the key',
      [
        [SHUTTER, 200, 'a'],
        [SHUTTER, 200, 'a'],
      ],
      ['applied', 'applied'],
    ],
    [
      'fires for whole milliseconds from 1 to 500',
      [
        [SHUTTER, 0, 'a'],
        [SHUTTER, 1.5, 'b'],
        [SHUTTER, 501, 'c'],
        [SHUTTER, 500, 'd'],
      ],
      ['refused', 'refused', 'refused', 'applied'],
    ],
  ])('%s', (_, sent, verdicts) => {
    expect(playRoom(requestsOf(...sent)).entries.map(({ verdict }) => verdict)).toEqual(verdicts);
  });

  test('a recognised write changes nothing', () => {
    const { setPoints } = playRoom(requestsOf([QUAD, 46, 'a'], [QUAD, 48, 'b'], [QUAD, 46, 'a']));
    expect(setPoints[QUAD]).toBe(48);
  });

  test('every refusal says why', () => {
    const { entries } = playRoom(requestsOf([QUAD, 60, 'a'], [STEER, 3, 'b'], [SHUTTER, 0, 'c'], ['NOPE', 1, 'd']));
    expect(entries.map(({ reason }) => reason)).toEqual([
      'QUAD:1:CURRENT is at 40 A and moves by at most 10 A at a time, not to 60',
      'STEER:1:OFFSET takes -2 to 2 mm, not 3',
      'SHUTTER:1 opens for 1 to 500 whole ms, not 0',
      'there is no channel "NOPE" here; there are STEER:1:OFFSET, QUAD:1:CURRENT, SHUTTER:1',
    ]);
  });

  test('whatever is sent: a key is applied once, set points stay in bounds, and the past does not change', () => {
    const request = fc.record({
      channel: fc.constantFrom(STEER, QUAD, SHUTTER, 'NOPE'),
      value: fc.oneof(fc.double({ min: -5, max: 130 }), fc.integer({ min: -5, max: 130 })),
      key: fc.constantFrom('a', 'b', 'c', 'd'),
    });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 30 }), fc.nat(30), (sent, cut) => {
        const requests = requestsOf(...sent.map(({ channel, value, key }): Sent => [channel, value, key]));
        const { entries, setPoints, pulses } = playRoom(requests, [QUAD]);
        const applied = entries.filter(({ verdict }) => verdict === 'applied');
        const written = applied
          .filter(({ channel }) => channel !== SHUTTER)
          .map(({ channel, key }) => `${channel} ${key}`);
        expect(new Set(written).size).toBe(written.length);
        expect(pulses[SHUTTER]).toBe(applied.length - written.length);
        for (const channel of SUPPLY_CHANNELS) {
          expect(setPoints[channel]).toBeGreaterThanOrEqual(SUPPLIES[channel].min);
          expect(setPoints[channel]).toBeLessThanOrEqual(SUPPLIES[channel].max);
        }
        expect(entries.filter(({ lineBroke }) => lineBroke).length).toBeLessThanOrEqual(1);
        expect(playRoom(requests.slice(0, cut), [QUAD]).entries).toEqual(entries.slice(0, cut));
      }),
      { seed: 5, numRuns: 300 },
    );
  });
});

describe('the room on disk', () => {
  const send = (channel: string, value: number, key: string) => ({ channel, value, key });

  test('has no file before the first write, and reads all the same', () => {
    const room = createDeviceRoom(freshFile(), [QUAD]);
    expect(room.read('BPM:1:X')).toEqual({ channel: 'BPM:1:X', value: -0.42, unit: 'mm' });
    expect(existsSync(room.file)).toBe(false);
  });

  test('monitors follow the set points', () => {
    const room = createDeviceRoom(freshFile());
    room.send(send(STEER, 0.4, 'a'));
    expect(room.read('BPM:1:X').value).toBe(-0.02);
    expect(READABLE.map((channel) => room.read(channel).channel)).toEqual(READABLE);
  });

  test('refuses to read what is not there, and names what is', () => {
    expect(() => createDeviceRoom(freshFile()).read('BPM:2:X')).toThrow(/"BPM:2:X".*BPM:1:X.*QUAD:1:CURRENT/);
  });

  test('breaks the line once, after the write', () => {
    const room = createDeviceRoom(freshFile(), [SHUTTER]);
    expect(() => room.send(send(SHUTTER, 200, 'a'))).toThrow(LineBroken);
    expect(room.look().pulses[SHUTTER]).toBe(1);
    expect(room.send(send(SHUTTER, 200, 'a'))).toMatchObject({ verdict: 'applied', lineBroke: false });
    expect(room.look().pulses[SHUTTER]).toBe(2);
  });

  test('a refused request does not break the line', () => {
    const room = createDeviceRoom(freshFile(), [QUAD]);
    expect(room.send(send(QUAD, 100, 'a')).verdict).toBe('refused');
    expect(() => room.send(send(QUAD, 46, 'b'))).toThrow(LineBroken);
  });

  test('stays as it was left and told, whoever opens it', () => {
    const file = freshFile();
    expect(() => createDeviceRoom(file, [QUAD]).send(send(QUAD, 46, 'a'))).toThrow(LineBroken);
    const later = createDeviceRoom(file, [STEER]);
    expect(later.send(send(QUAD, 46, 'a')).verdict).toBe('recognised');
    expect(later.send(send(STEER, 0.4, 'b')).lineBroke).toBe(false);
    expect(later.look()).toMatchObject({ setPoints: { [QUAD]: 46, [STEER]: 0.4 } });
  });

  test('says on its first line that it is a double, and counts every request below', () => {
    const room = createDeviceRoom(freshFile());
    room.send(send(QUAD, 46, 'a'));
    room.send(send(QUAD, 46, 'a'));
    const lines = readFileSync(room.file, 'utf8').trimEnd().split('\n');
    expect(lines).toHaveLength(3);
    expect(lines[0]).toContain('no hardware');
    expect(JSON.parse(lines[1] ?? '')).toMatchObject({ ...send(QUAD, 46, 'a'), pid: process.pid });
  });
});

describe('what the capabilities make of it', () => {
  function capability(name: string, breakLineAfter: readonly string[] = []) {
    const room = createDeviceRoom(freshFile(), breakLineAfter);
    const found = roomCapabilities(room).find((one) => one.name === name) as Capability;
    const execute = async (args: object) =>
      found.execute({ arguments: found.input.parse(args), idempotencyKey: 'k', inputs: [] } as never);
    return { room, found, execute };
  }

  test('a channel that is not there is refused before anything runs, with the names of those that are', () => {
    const { found } = capability('supply.set');
    const checked = found.input.safeParse({ channel: 'QUAD:2:CURRENT', value: 1 });
    expect(JSON.stringify(checked.error)).toContain(QUAD);
  });

  test('a refused set point is no error that a repetition could cure', async () => {
    const { execute } = capability('supply.set');
    const error: unknown = await execute({ channel: QUAD, value: 100 }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(CapabilityError);
    expect(error).toMatchObject({ errorClass: 'CRITICAL', message: expect.stringContaining('at most 10 A') });
  });

  test('after a broken line the same attempt again is done once', async () => {
    const { execute, room } = capability('supply.set', [QUAD]);
    await expect(execute({ channel: QUAD, value: 46 })).rejects.toThrow(LineBroken);
    await expect(execute({ channel: QUAD, value: 46 })).resolves.toEqual({ channel: QUAD, value: 46, unit: 'A' });
    expect(room.look().entries.map(({ verdict }) => verdict)).toEqual(['applied', 'recognised']);
  });

  test('a shutter whose line broke does not claim that nothing happened', async () => {
    const { execute } = capability('shutter.pulse', [SHUTTER]);
    const error: unknown = await execute({ shutter: SHUTTER, milliseconds: 200 }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(LineBroken);
    expect(error).not.toBeInstanceOf(NotApplied);
  });

  test('a shutter that answers says how often it has fired', async () => {
    const { execute } = capability('shutter.pulse');
    await expect(execute({ shutter: SHUTTER, milliseconds: 200 })).resolves.toEqual({ shutter: SHUTTER, pulses: 1 });
  });
});
