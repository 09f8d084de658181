/** The plan, the rules and the proof of the control room, without a server. */

import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { proofOfRoom, undoFaults } from '../../examples/control-room/story/room-proof.ts';
import type { LedgerEntry } from '../../examples/stage/index.ts';
import { EXPECTED_WRITES } from '../../examples/control-room/expected.ts';
import { createConfig, demo } from '../../examples/control-room/index.ts';
import { AT_DEVICE, playRoom, type RoomEntry } from '../../examples/control-room/room-rules.ts';
import { type CompiledPlan } from '../../src/plan/index.ts';
import { parseAnswer, parseControl, parseDecision } from '../../src/workflows/run/index.ts';
import { textsOf } from '../support/pages.ts';
import { readSource } from '../support/source-files.ts';
import { compiledPlan } from '../support/plans.ts';

const registry = createRegistry(createConfig().capabilities);

function compiled(document: unknown): CompiledPlan {
  const result = compiledPlan(document, { catalogue: registry });
  expect(result.warnings).toEqual([]);
  return result.plan;
}

const written = JSON.parse(readFileSync(demo.planFile, 'utf8')) as { steps: object[] };
const plan = compiled(written);

test('the plan reads, asks, writes, and ends in an answer, each step with its effect', () => {
  const effects = plan.tasks.map(({ contextKey, capability = '' }) => [
    contextKey,
    capability,
    registry.executor('capability', capability)?.effect,
  ]);
  expect(effects).toEqual([
    ['position', 'channel.read', 'read'],
    ['width', 'channel.read', 'read'],
    ['current', 'channel.read', 'read'],
    ['offset', 'ask', 'read'],
    ['steered', 'supply.set', 'idempotent'],
    ['focused', 'supply.set', 'idempotent'],
    ['centred', 'channel.read', 'read'],
    ['exposed', 'shutter.pulse', 'at-most-once'],
    ['report', 'respond', 'read'],
  ]);
});

describe('the proof', () => {
  const expected = EXPECTED_WRITES.map((write, at) => ({ ...write, nodeId: `node_${at + 1}` }));
  const entry = (channel: string, value: number, more: Partial<RoomEntry> = {}): RoomEntry => ({
    ...{ id: 'i', at: 'now', pid: 1, key: `key of ${channel}`, channel, value, verdict: 'applied', lineBroke: false },
    ...more,
  });
  const started = (nodeId: string): LedgerEntry => ({
    ...{ what: 'started', nodeId, workflowId: 'w', attempt: 1, idempotencyKey: nodeId, at: 'now', pid: 1 },
  });
  const entries = [entry('STEER:1:OFFSET', 0.4), entry('QUAD:1:CURRENT', 46), entry('SHUTTER:1', 200)];
  const attempts = ['node_1', 'node_2', 'node_3'].map(started);

  test.each<
    [
      what: string,
      entries: readonly RoomEntry[],
      attempts: readonly LedgerEntry[],
      written: number,
      faults: readonly RegExp[],
    ]
  >([
    ['is content with every write once', entries, attempts, 0, []],
    [
      'takes a repeated write that was recognised',
      [...entries, entry('QUAD:1:CURRENT', 46, { verdict: 'recognised' })],
      [...attempts, started('node_2')],
      0,
      [],
    ],
    ['sees a write that is missing', entries.slice(1), attempts, 0, [/STEER.*0 times/]],
    ['sees a write that was done twice', [...entries, entry('QUAD:1:CURRENT', 46)], attempts, 0, [/QUAD.*2 times/]],
    [
      'sees a repeated write under another key',
      [...entries, entry('QUAD:1:CURRENT', 46, { key: 'k', verdict: 'recognised' })],
      attempts,
      0,
      [/QUAD.*2 keys/],
    ],
    ['sees a second pulse', [...entries, entry('SHUTTER:1', 200)], attempts, 0, [/SHUTTER.*2 times/]],
    [
      'sees a second attempt at the shutter, even one that did not arrive',
      entries,
      [...attempts, started('node_3')],
      0,
      [/node_3.*2 times/],
    ],
    [
      'sees the set point from before the edit',
      [entries[0]!, entry('QUAD:1:CURRENT', 44), entries[2]!],
      attempts,
      0,
      [/QUAD.*44.*46/],
    ],
    [
      'sees what nobody approved',
      [...entries, entry('VALVE:1', 1, { verdict: 'refused', reason: 'no such channel' })],
      attempts,
      0,
      [/VALVE:1.*no such channel/],
    ],
    ['sees a write from before the kill', entries, attempts, 1, [/^1 requests had reached/]],
  ])('%s', (_, arrived, begun, before, faults) => {
    const proof = proofOfRoom({ expected, entries: arrived, attempts: begun, kill: { pid: 1, written: before } });
    expect(proof.faults).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });
});

describe('the proof of the undo', () => {
  const writes: readonly (readonly [channel: string, value: number, key: string])[] = [
    ['QUAD:1:CURRENT', 42, AT_DEVICE],
    ['STEER:1:OFFSET', 0.4, 'steer'],
    ['QUAD:1:CURRENT', 46, 'quad'],
    ['SHUTTER:1', 200, 'pulse'],
    ['QUAD:1:CURRENT', 42, 'quad back'],
    ['STEER:1:OFFSET', 0, 'steer back'],
  ];
  const faultsOf = (sent: typeof writes) =>
    undoFaults(
      playRoom(sent.map(([channel, value, key], at) => ({ id: `${at}`, at: '', pid: 1, channel, value, key }))),
    );

  test.each<[what: string, sent: typeof writes, faults: readonly RegExp[]]>([
    ['is content when each supply is where a person left it', writes, []],
    ['sees a write that was not undone', writes.slice(0, -1), [/STEER.*at 0.4.*at 0/, /STEER.*1 times/]],
    [
      'sees an undo to another value',
      [...writes.slice(0, -2), ['QUAD:1:CURRENT', 40, 'back'], writes[5]!],
      [/at 40.*42/],
    ],
    ['sees an undo done twice', [...writes, ['STEER:1:OFFSET', 0, 'again']], [/STEER.*3 times/]],
  ])('%s', (_, sent, faults) => {
    expect(faultsOf(sent)).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });
});

describe('docs/control-room.md', () => {
  const fileOf = (name: string) => JSON.parse(readSource(`examples/control-room/${name}.json`)) as Message;
  const edit = fileOf('edit');
  const messages = [...textsOf('docs/control-room.md', 'json').map((json) => JSON.parse(json) as Message), edit];
  const digestOf = (document: unknown) => compiled(document).digest.slice(0, 8);

  interface Message {
    readonly [key: string]: unknown;
  }

  test('has messages that a run reads, for the digests that these plans have', () => {
    const digests = [digestOf(fileOf('start')['plan']), digestOf(edit['plan'])];
    expect(digests[0]).toBe(digestOf(written));
    expect(messages.length).toBeGreaterThan(9);
    for (const message of messages) {
      const read =
        'action' in message ? parseControl(message) : 'question' in message ? parseAnswer(message) : undefined;
      const kind = 'kind' in message ? undefined : 'approve';
      expect([message, read ?? parseDecision(message, kind)]).toMatchObject([message, { ok: true }]);
      if ('digest' in message) expect(digests).toContain(message['digest']);
      if ('question' in message) expect(message['question']).toBe(`${digests[0]}.node_4`);
    }
  });
});
