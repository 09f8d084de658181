/** The double of the device room: bounds, keys, broken lines. */

import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NotApplied, type WorkCapability } from '../../src/capabilities/index.ts';
import { roomCapabilities } from '../../examples/control-room/capabilities.ts';
import { SUPPLIES, SUPPLY_CHANNELS } from '../../examples/control-room/channels.ts';
import { createDeviceRoom, LineBroken } from '../../examples/control-room/device-room.ts';
import { AT_DEVICE, playRoom, type RoomRequest } from '../../examples/control-room/room-rules.ts';
import { fileFolder } from '../support/folders.ts';

const folder = fileFolder('room');
let rooms = 0;
const freshFile = () => join(folder, 'below', `${++rooms}.jsonl`);

const STEER = 'STEER:1:OFFSET';
const QUAD = 'QUAD:1:CURRENT';
const SHUTTER = 'SHUTTER:1';

/** Under a key of its own, where it names none. */
interface Sent {
  readonly channel: string;
  readonly value: number;
  readonly key?: string;
}
const to = (channel: string, value: number, key?: string): Sent => ({ channel, value, ...(key && { key }) });

function requestsOf(...sent: readonly Sent[]): readonly RoomRequest[] {
  return sent.map((one, at) => ({ id: `${at}`, at: `second ${at}`, pid: 1, key: `key ${at}`, ...one }));
}

describe('what the room does with requests', () => {
  test.each<[what: string, sent: readonly Sent[], verdicts: readonly string[]]>([
    ['takes a set point within bounds and ramp', [to(QUAD, 46)], ['applied']],
    ['takes the very bound', [to(STEER, 1, 'a'), to(STEER, 2, 'b')], ['applied', 'applied']],
    [
      'takes steps of the ramp',
      [to(QUAD, 50, 'a'), to(QUAD, 60, 'b'), to(QUAD, 50, 'c')],
      ['applied', 'applied', 'applied'],
    ],
    ['refuses more than the ramp', [to(QUAD, 50.5, 'a')], ['refused']],
    ['refuses what is out of bounds', [to(STEER, 1, 'a'), to(STEER, 2.01, 'b')], ['applied', 'refused']],
    ['refuses what is no number', [to(QUAD, Number.NaN, 'a')], ['refused']],
    ['refuses a channel that is not there', [to('QUAD:2:CURRENT', 40)], ['refused']],
    ['refuses to write to a monitor', [to('BPM:1:X', 0)], ['refused']],
    ['refuses to take the name of a property for a channel', [to('constructor', 0)], ['refused']],
    [
      'recognises a repeated key, also much later',
      [to(QUAD, 46, 'a'), to(QUAD, 48, 'b'), to(QUAD, 46, 'a')],
      ['applied', 'applied', 'recognised'],
    ],
    ['knows a key at its own channel only', [to(QUAD, 46, 'a'), to(STEER, 0.4, 'a')], ['applied', 'applied']],
    [
      'does not hold a refusal against a key',
      [to(QUAD, 60, 'a'), to(QUAD, 50, 'b'), to(QUAD, 60, 'a')],
      ['refused', 'applied', 'applied'],
    ],
    [
      'fires the shutter as often as it is asked to, whatever the key',
      [to(SHUTTER, 200, 'a'), to(SHUTTER, 200, 'a')],
      ['applied', 'applied'],
    ],
    [
      'fires for whole milliseconds from 1 to 500',
      [to(SHUTTER, 0), to(SHUTTER, 1.5), to(SHUTTER, 501), to(SHUTTER, 500)],
      ['refused', 'refused', 'refused', 'applied'],
    ],
  ])('%s', (_, sent, verdicts) => {
    expect(playRoom(requestsOf(...sent)).entries.map(({ verdict }) => verdict)).toEqual(verdicts);
  });

  test('whatever is sent: a key is applied once, set points stay in bounds, and the past does not change', () => {
    const request = fc.record({
      channel: fc.constantFrom(STEER, QUAD, SHUTTER, 'NOPE'),
      value: fc.oneof(fc.double({ min: -5, max: 130 }), fc.integer({ min: -5, max: 130 })),
      key: fc.constantFrom('a', 'b', 'c', 'd'),
    });
    fc.assert(
      fc.property(fc.array(request, { maxLength: 30 }), fc.nat(30), (sent, cut) => {
        const requests = requestsOf(...sent);
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

  test('breaks the line once, after the write', () => {
    const room = createDeviceRoom(freshFile(), [SHUTTER]);
    expect(() => room.send(send(SHUTTER, 200, 'a'))).toThrow(LineBroken);
    expect(room.look().pulses[SHUTTER]).toBe(1);
    expect(room.send(send(SHUTTER, 200, 'a'))).toMatchObject({ verdict: 'applied', lineBroke: false });
    expect(room.look().pulses[SHUTTER]).toBe(2);
  });
});

describe('what the capabilities make of it', () => {
  function capability(name: string, breakLineAfter: readonly string[] = []) {
    const room = createDeviceRoom(freshFile(), breakLineAfter);
    const found = roomCapabilities(room).find((one) => one.name === name) as WorkCapability;
    const execute = async (args: object) =>
      found.execute({ arguments: found.input.parse(args), idempotencyKey: 'k', inputs: [] } as never);
    return { room, found, execute };
  }

  test('after a broken line the same attempt again is done once', async () => {
    const { execute, found, room } = capability('supply.set', [QUAD]);
    room.send({ channel: QUAD, value: 42, key: AT_DEVICE });
    await expect(execute({ channel: QUAD, value: 46 })).rejects.toThrow(LineBroken);
    const was = { channel: QUAD, value: 46, was: 42, unit: 'A' };
    await expect(execute({ channel: QUAD, value: 46 })).resolves.toEqual(was);
    expect(found.inverse?.({ arguments: { channel: QUAD, value: 46 }, task: '' }, was)).toEqual({
      ...{ capability: 'supply.set', arguments: { channel: QUAD, value: 42 } },
    });
    expect(room.look().entries.map(({ verdict }) => verdict)).toEqual(['applied', 'applied', 'recognised']);
  });

  test('a shutter whose line broke does not claim that nothing happened', async () => {
    const { execute } = capability('shutter.pulse', [SHUTTER]);
    const error: unknown = await execute({ shutter: SHUTTER, milliseconds: 200 }).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(LineBroken);
    expect(error).not.toBeInstanceOf(NotApplied);
  });
});
