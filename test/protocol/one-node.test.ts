/** A decided step of one node travels short, and is the same slice again where it arrives. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  NODE_KINDS,
  EFFECTS,
  oneNodeOf,
  problemOf,
  REPLIES,
  SLICE,
  sliceOfOne,
  USUAL_BOUNDS,
  type NodeExecutor,
  type RunSlice,
} from '../../src/protocol/index.ts';

const SLICE_OF_ONE: RunSlice = {
  goal: 'Read',
  digest: 'ab'.repeat(32),
  revisionRef: 'A'.repeat(43),
  root: 0,
  inputs: [[]],
  contextKeys: ['step_3'],
  executors: [{ label: 'capability read@1 read', kind: 'task', effect: 'read', name: 'read', ...USUAL_BOUNDS }],
  executorOf: [0],
  summaries: ['Read page 3'],
  text: 'node_1 step_3  Read page 3',
  parts: true,
};
const PLACE = { round: 3, goal: 'Read', summary: 'Read page 3' };
const replyOf = (decision: object) => ({
  ...{ notes: 'B'.repeat(43), usage: { calls: 1, inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 } },
  decision: { is: 'step', summary: PLACE.summary, ...decision },
});

test('of the usual step no member is sent that follows from its round', () => {
  const one = oneNodeOf(SLICE_OF_ONE, PLACE);
  expect(Object.keys(one ?? {}).toSorted()).toEqual(['digest', 'executor', 'revisionRef', 'text']);
  expect(Object.keys(one?.executor ?? {}).toSorted()).toEqual(['effect', 'kind', 'label', 'name']);
  expect(problemOf(REPLIES.decideStep, replyOf({ one }))).toBeUndefined();
});

const amount = fc.constantFrom(300_000, 10_000, 500, 3, 1);
const executor: fc.Arbitrary<NodeExecutor> = fc.record(
  {
    ...{ label: fc.string(), kind: fc.constantFrom(...NODE_KINDS), effect: fc.constantFrom(...EFFECTS) },
    ...{ name: fc.string(), cost: amount, resource: fc.string(), rounds: amount, alone: fc.constant(true as const) },
    ...{ startToCloseMs: amount, scheduleToCloseMs: amount, heartbeatMs: amount },
    retry: fc.record({ attempts: amount, initialMs: amount, factor: amount }),
  },
  {
    requiredKeys: ['label', 'kind', 'effect', 'startToCloseMs', 'scheduleToCloseMs', 'heartbeatMs', 'retry'],
  },
);
const oneNode = fc.record(
  {
    ...{ goal: fc.constantFrom('Read', 'Write'), executors: fc.tuple(executor) },
    summaries: fc.tuple(fc.constantFrom('Read page 3', 'Something else')),
    ...{ effectKeys: fc.record({ 0: fc.string() }), warnings: fc.record({ 0: fc.string() }) },
  },
  { requiredKeys: ['goal', 'executors', 'summaries'] },
);

test('every slice of one node arrives as it was, and fits the table on its way', () => {
  fc.assert(
    fc.property(oneNode, fc.option(fc.constant('Read'), { nil: undefined }), (over, goal) => {
      const slice: RunSlice = { ...SLICE_OF_ONE, ...over };
      const place = { ...PLACE, goal };
      const one = JSON.parse(JSON.stringify(oneNodeOf(slice, place))) as NonNullable<ReturnType<typeof oneNodeOf>>;
      expect(problemOf(REPLIES.decideStep, replyOf({ one }))).toBeUndefined();
      expect(sliceOfOne(one, place)).toEqual(slice);
      expect(problemOf(SLICE, sliceOfOne(one, place))).toBeUndefined();
    }),
  );
});

describe('a slice that has more than the short form can say travels whole', () => {
  test.each<[name: string, over: Partial<RunSlice> & Readonly<Record<string, unknown>>]>([
    ['two nodes', { inputs: [[], [0]], executorOf: [0, 0], summaries: ['a', 'b'], contextKeys: ['a', 'b'], root: 1 }],
    ['another key', { contextKeys: ['step_2'] }],
    ['a tree', { contextKeys: undefined as never }],
    ['minutes', { estimatedMinutes: 5 }],
    ['a worker that knows no parts', { parts: undefined as never }],
    ['a field of a later version', { later: 1 }],
  ])('%s', (_, over) => {
    expect(oneNodeOf({ ...SLICE_OF_ONE, ...over }, PLACE)).toBeUndefined();
  });
});

test.each<[name: string, over: object, place: string]>([
  ['a kind that is none', { executor: { ...SLICE_OF_ONE.executors[0], kind: 'root' } }, '$.decision.one.executor.kind'],
  ['no reference', { revisionRef: '../plan' }, '$.decision.one.revisionRef'],
  [
    'a bound as text',
    { executor: { ...SLICE_OF_ONE.executors[0], heartbeatMs: '1' } },
    '$.decision.one.executor.heart',
  ],
  ['a warning that is none', { warning: 7 }, '$.decision.one.warning'],
])('%s is told with its place', (_, over, place) => {
  const one = { ...oneNodeOf(SLICE_OF_ONE, PLACE), ...over };
  expect(problemOf(REPLIES.decideStep, replyOf({ one }))).toContain(place);
});
