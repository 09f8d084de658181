/** Whoever reaches the server can schedule an activity with anything: what is no request of a run begins nothing. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createActivities } from '../../src/activities/index.ts';
import { MAX_REPETITIONS, problemOf, REQUESTS, VALUE_LEVELS } from '../../src/protocol/index.ts';
import { writes } from '../support/capabilities.ts';
import { planOf, task } from '../support/plans.ts';
import { failureOf, openActivities } from './rig.ts';

const REF = 'A'.repeat(43);
const HANDLE = { ref: REF, kind: 'set', count: 3, bytes: 40 };
const OPTIONS = { limits: { depth: 3, nodes: 9 }, context: { site: { name: 'north' } }, conversation: 'reef' };
const CHAIN = { firstRunId: 'first' };
const NODE = { ...CHAIN, revision: REF, nodeId: 'node_1', inputs: [REF], retry: 2, work: 7, again: true };

/** A request with every field that there is. */
const WHOLE: Readonly<Record<keyof typeof REQUESTS, object | undefined>> = {
  compilePlan: {
    ...CHAIN,
    start: 'A'.repeat(86),
    source: { document: { goal: 'g' } },
    ...OPTIONS,
    base: REF,
    ruleCapabilities: ['fire'],
  },
  planGoal: {
    ...CHAIN,
    stage: 'write',
    call: 'plan.1/write/1',
    goal: 'g',
    notes: 'ab'.repeat(32),
    trouble: { severity: 'REPLANNING', message: 'm' },
    answers: [{ question: 'q', ref: REF }],
    revise: { base: REF, feedback: 'f', by: 'operator' },
    ...OPTIONS,
    ruleCapabilities: ['fire'],
  },
  decideStep: {
    task: { agent: 'agent a@1 read', revision: REF, nodeId: 'node_1', inputs: [REF] },
    ...CHAIN,
    round: 1,
    call: 'step_1/decide/1',
    notes: 'ab'.repeat(32),
    observation: { round: 1, status: 'succeeded', results: { result: HANDLE }, message: 'm' },
    trouble: { severity: 'REPLANNING', message: 'm' },
    options: OPTIONS,
  },
  reportFailure: {
    ...CHAIN,
    call: 'report/1',
    severity: 'CRITICAL',
    task: 't',
    operation: 'o',
    message: 'm',
    done: ['d'],
    failed: ['f'],
  },
  runPart: {
    ...CHAIN,
    revision: REF,
    nodes: '0-2,7',
    from: '9',
    refs: REF,
    retries: { 1: 2 },
    again: '0',
    slots: 3,
    work: 7,
    key: 'w',
    awaited: '7',
  },
  runTask: NODE,
  makeQuestion: NODE,
  combine: NODE,
  storeAnswer: { ...CHAIN, revision: REF, nodeId: 'node_1', value: 1, schema: { type: 'number' } },
  savePages: { pages: ['page'], firstRunId: 'c' },
  loadPages: { ref: REF, firstRunId: 'c' },
  keepResults: {
    firstRunId: 'c',
    conversation: 'reef',
    outcome: 'done',
    goal: 'g',
    revision: REF,
    steps: [{ nodeId: 'node_1', ref: REF }],
    left: 0,
    result: REF,
  },
  writeReceipt: CHAIN,
  lookAtAgents: { ...CHAIN, agents: [{ workflowId: 'plan-1.3fa9c1d2.node_1', first: 'c' }] },
  readKeys: undefined,
  readInbox: undefined,
};
const NAMES = Object.keys(REQUESTS) as (keyof typeof REQUESTS)[];

test('every activity that a worker registers has a row', async () => {
  const { dependencies } = await openActivities([]);
  expect(Object.keys(createActivities(dependencies)).toSorted()).toEqual(NAMES.toSorted());
});

test.each(NAMES)('%s: a whole request is one', (name) => {
  expect(problemOf(REQUESTS[name], WHOLE[name])).toBeUndefined();
});

describe('one malformed number', () => {
  test.each<[path: string, value: unknown]>([
    ['retry', -1],
    ['retry', '0x0'],
    ['retry', []],
    ['retry', 0.5],
    ['retry', 1e9],
    ['retry', MAX_REPETITIONS + 1],
    ['retry', null],
    ['work', -0.1],
    ['work', 2 ** 53],
    ['work', '7'],
    ['nodeId', 'node_0'],
    ['nodeId', '__proto__'],
    ['revision', '../plan'],
    ['inputs', { 0: REF, length: 1 }],
  ])('%s %j is told with its path', async (path, value) => {
    const rig = await openActivities([]);
    const failure = await failureOf(rig.call('runTask', { ...NODE, [path]: value }));
    expect(failure).toMatchObject({ type: 'InvalidInput', nonRetryable: true, details: [{ begun: false }] });
    expect(failure.message).toContain(`$.${path}: expected`);
  });

  test('a repetition less than too many is read', () => {
    expect(problemOf(REQUESTS.runTask, { ...NODE, retry: MAX_REPETITIONS })).toBeUndefined();
  });
});

test(`context of more than ${VALUE_LEVELS} levels is told with its path, and as many are read`, () => {
  const nested = (levels: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level += 1) value = [value];
    return value;
  };
  const asked = (levels: number) =>
    problemOf(REQUESTS.compilePlan, { ...CHAIN, source: { document: '' }, context: { site: nested(levels) } });
  expect(asked(VALUE_LEVELS)).toBeUndefined();
  for (const levels of [VALUE_LEVELS + 1, 45_000])
    expect(asked(levels)).toContain('$.context["site"]: expected a value of at most 64');
});

/** A request with something else at one of its places, at whatever depth. */
function spoiled(value: unknown, odd: unknown, place: number): unknown {
  if (typeof value !== 'object' || value === null) return odd;
  const keys = Object.keys(value);
  const key = keys[place % (keys.length + 1)];
  if (key === undefined) return odd;
  const inner = spoiled((value as Record<string, unknown>)[key], odd, Math.floor(place / (keys.length + 1)));
  return Array.isArray(value)
    ? value.map((one: unknown, at) => (String(at) === key ? inner : one))
    : { ...value, [key]: inner };
}

const ODD = fc.oneof(
  fc.constantFrom<unknown>(null, -1, 0.5, 1e9, 2 ** 53, '0x0', '', [], {}, true, '__proto__', 'node_0', '../plan'),
  fc.jsonValue({ maxDepth: 3 }),
);

test('2,000 malformed requests have no effect', async () => {
  const written: string[] = [];
  const fire = writes('fire', 'at-most-once', written);
  const rig = await openActivities([fire]);
  const { revisionRef: revision } = await rig.compiled(planOf(task('fire', { value: 'north' })));
  const own = { ...CHAIN, revision, nodeId: 'node_1', inputs: [], work: 7 };
  let malformed = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...NAMES.filter((name) => name !== 'readKeys' && name !== 'readInbox')),
      ODD,
      fc.nat(10_000),
      async (name, odd, place) => {
        const request = spoiled({ ...WHOLE[name], ...(name === 'runTask' && own) }, odd, place);
        const problem = problemOf(REQUESTS[name], request);
        fc.pre(problem !== undefined);
        malformed += 1;
        const failure = await failureOf(rig.call(name, request as never, { asSent: true }));
        expect(failure).toMatchObject({ type: 'InvalidInput', nonRetryable: true, details: [{ begun: false }] });
        expect(failure.message).toContain(problem);
      },
    ),
    { numRuns: 2000, maxSkipsPerRun: 10 },
  );
  expect(malformed).toBe(2000);
  expect(written).toEqual([]);
  expect(await rig.call('runTask', own)).toMatchObject({ kind: 'set' });
  expect(written).toHaveLength(1);
}, 600_000);
