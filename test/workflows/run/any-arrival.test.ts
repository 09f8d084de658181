/** Whatever comes from outside is read by a table first: it never breaks a turn, which would fail the workflow task for ever. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MESSAGE_NAMES } from '../../../src/protocol/index.ts';
import { permissionOf, previewRefusal } from '../../../src/workflows/run/index.ts';
import type { Incoming } from '../../../src/workflows/run/arrive.ts';
import { openPlanRun, openTaskRun } from '../../../src/workflows/run/starter.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { runDetails } from '../../../src/workflows/views/details.ts';
import { statusOf, renderView } from '../../../src/workflows/views/views.ts';
import { RUNS } from '../../plan/text/arbitraries.ts';
import { asking } from './asking-run.ts';
import {
  approvedRun,
  AT,
  DIGEST,
  executor,
  handle,
  later,
  openedRun,
  REFUSES,
  shapeOf,
  takenUp,
  turn,
} from './make-run.ts';
import { readingRun } from './parts/part-run.ts';

/** As a run hands it to its agents. */
const AGENT = {
  task: { agent: 'agent a@1 read', revision: 'A'.repeat(43), nodeId: 'node_1', inputs: ['B'.repeat(43)] },
  goal: 'g',
  options: { ...openedRun(shapeOf([[]])).state.options, mode: 'reactive' },
  ...{
    attempts: 3,
    key: 'w',
    firstRunId: 'c',
    granted: { tokens: 9 },
    editors: ['a'],
    editTokens: ['t'],
  },
  start: { token: 'a.b.c', run: 'root', at: AT },
};
const PLAN = {
  goal: 'g',
  plan: { task: 't' },
  options: { approval: { rules: [{ count: 2 }] }, budget: { tokens: 9 } },
};
const WHO = { by: 'a', role: 'r', comment: 'c' };
const SAID: readonly object[] = [
  { digest: DIGEST, ...WHO },
  { kind: 'approve-part', digest: DIGEST, nodes: ['node_1'], ...WHO },
  { kind: 'edit', digest: DIGEST, plan: { task: 't' }, ...WHO },
  { kind: 'revise', digest: DIGEST, feedback: 'f', ...WHO },
  { question: `${DIGEST.slice(0, 8)}.node_1`, value: { a: [1] }, ...WHO },
  { action: 'resolve', node: 'node_1', outcome: 'succeeded', value: [1], ...WHO },
  { action: 'retry-node', node: 'node_1', ...WHO },
  { action: 'pause', ...WHO },
  { action: 'kill', ...WHO },
  { token: 'a.b.c' },
];
const BETWEEN: readonly object[] = [
  { key: 'w', waitingFor: 2, items: [{ id: 'approval' }], spent: { tokens: 1 }, isDone: true },
  { key: 'w', paused: true, granted: { tokens: 1 }, over: true, killed: { by: 'a', comment: 'c', at: AT } },
  { key: 'w', ends: [{ node: 'node_1', reply: handle('r') }], begun: ['node_1'] },
];
const ENDS: readonly object[] = [
  handle('r'),
  { asks: { text: 'q', schema: {} } },
  { deferred: 'fault', reason: 'h', usage: {} },
];

const deep = () => JSON.parse(`${'['.repeat(3000)}${']'.repeat(3000)}`) as unknown;
/** What JSON can say, and what a converter gives for what it cannot read. */
const anyValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 4 }),
  fc.constantFrom(
    undefined,
    {},
    [],
    -1,
    1e308,
    '\ud800',
    'x'.repeat(9999),
    AT,
    DIGEST,
    'node_9',
    JSON.parse('{"__proto__":1}'),
  ),
  fc.constant({ malformed: true, encoding: 'x', reason: 'y' }),
  fc.constant(null).map(deep),
);
/** A sound value with others at some of its places, or another. */
function nearly(sound: readonly object[]): fc.Arbitrary<unknown> {
  const changes = fc.array(fc.tuple(fc.nat(), anyValue), { maxLength: 2 });
  const changed = fc.tuple(fc.constantFrom(...sound), changes).map(([value, all]) => all.reduce(withChange, value));
  return fc.oneof({ arbitrary: changed, weight: 4 }, { arbitrary: anyValue, weight: 1 });
}
function withChange(value: unknown, [place, other]: readonly [number, unknown]): unknown {
  if (typeof value !== 'object' || value === null) return other;
  const keys = Object.keys(value);
  const key = keys[place % (keys.length + 1)];
  if (key === undefined) return other;
  const inner = withChange((value as Record<string, unknown>)[key], [Math.floor(place / (keys.length + 1)), other]);
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...value, [key]: inner };
}

const RUN_MAKERS: readonly (() => Run)[] = [
  () => openPlanRun('plan-1', AT, { goal: 'g' }, { firstRunId: 'c' }),
  () => openPlanRun('plan-1', AT, PLAN, { firstRunId: 'c' }),
  () => openTaskRun('plan-1.node_1', AT, AGENT, { firstRunId: 'c', isChild: true, root: 'root' }),
  () => openedRun(shapeOf([[], [0]])),
  () => approvedRun(shapeOf([[], []], { executors: [executor('at-most-once', 'pay')] }), { onFailure: 'ask' }),
  () => asking(),
  () => readingRun(3).run,
];

const anyMessage = fc.record({ name: fc.constantFrom(...MESSAGE_NAMES), payload: nearly(SAID) });
const anyArrival: fc.Arbitrary<(run: Run) => Incoming> = fc.oneof(
  { arbitrary: anyMessage.map((one) => () => ({ ...one, at: AT })), weight: 6 },
  nearly(BETWEEN).map((said) => () => ({ is: 'agent' as const, message: said, at: AT })),
  nearly(BETWEEN).map((said) => () => ({ is: 'part' as const, message: said, at: AT })),
  fc.string().map((name) => () => ({ is: 'unknown' as const, name, at: AT })),
  // An activity can be completed with anything; only what a node gives comes to a turn as it is.
  nearly(ENDS).map((value) => (run: Run) => {
    const work = Number(Object.entries(run.tasks).find(([, { kind }]) => kind === 'node')?.[0] ?? 0);
    return { is: 'ended' as const, taskId: work, ended: { ok: true as const, value }, at: AT };
  }),
);

test('no message, signal between runs or result of an activity breaks a turn, a view or the next history', () => {
  const played = fc.tuple(fc.constantFrom(...RUN_MAKERS), fc.array(anyArrival, { minLength: 1, maxLength: 6 }));
  const property = fc.property(
    played,
    nearly([{ parts: ['status'], nodes: { after: 'node_1', limit: 3 } }]),
    ([make, all], asked) => {
      let run = make();
      turn(run);
      for (const [at, arrival] of all.entries()) {
        const incoming = arrival(run);
        if (incoming.is === undefined) previewRefusal(run, incoming, REFUSES);
        turn(run, later(at), { arrivals: [incoming] });
        for (const id of [...Object.keys(run.tasks).map(Number), asked]) permissionOf(run, id);
        statusOf(run);
        runDetails(run);
      }
      if (run.parts.size === 0) run = takenUp(run);
      turn(run, later(9));
      expect(renderView(run, {})).toBeDefined();
    },
  );
  fc.assert(property, { ...RUNS, numRuns: 400 });
});

test.each([
  ['a run', openPlanRun, [PLAN, { goal: 'g', options: { mode: 'reactive', context: { a: 1 } } }, { token: 'a.b.c' }]],
  ['an agent', openTaskRun, [AGENT, { ...AGENT, options: { ...AGENT.options, approval: { rules: [{ count: 2 }] } } }]],
] as const)('no input of %s breaks its first turns', (_, open, sound) => {
  const property = fc.property(nearly(sound), (input) => {
    const run = open('plan-1', AT, input, { firstRunId: 'c', isChild: true, root: 'root' });
    turn(run);
    turn(run, later(1));
    runDetails(run);
    takenUp(run);
  });
  fc.assert(property, { ...RUNS, numRuns: 1000 });
});

test.each<[string, object, string]>([
  [
    'no rules',
    { options: { ...AGENT.options, approval: { rules: [] } } },
    '$.options.approval.rules: expected 1 to 101',
  ],
  [
    'a window that is no number',
    { options: { ...AGENT.options, concurrency: 'x' } },
    '$.options.concurrency: expected',
  ],
  ['an unknown option', { options: { ...AGENT.options, aproval: 1 } }, '$.options: unknown key "aproval"'],
  ['another mode', { options: { ...AGENT.options, mode: 'plan-first' } }, '$.options.mode: expected "reactive"'],
  ['a deadline of no time', { options: { ...AGENT.options, approvalDeadlineMs: 0 } }, '$.options.approvalDeadline'],
  ['an editor who is no list', { editors: 'editor' }, '$.editors: expected a list'],
  ['no node', { task: { ...AGENT.task, nodeId: 1 } }, '$.task.nodeId: expected the id of a node'],
  ['no task', { task: undefined }, 'start planWorkflow with a plan instead'],
])('the input of an agent with %s fails its run as InvalidInput', (_, over, message) => {
  const { state } = openTaskRun('plan-1.node_1', AT, { ...AGENT, ...over }, { firstRunId: 'c', isChild: true });
  expect(state.failure).toMatchObject({ type: 'InvalidInput', message: expect.stringContaining(message) as string });
});

test('the options of a run with as many rules as it may have are an input of its agents', () => {
  const rules = Array.from({ length: 101 }, () => ({ effect: 'idempotent' }));
  const input = { ...AGENT, options: { ...AGENT.options, approval: { rules } } };
  expect(openTaskRun('plan-1.node_1', AT, input, { firstRunId: 'c', isChild: true }).state).toMatchObject({
    options: input.options,
    loop: { attempts: 3 },
  });
});
