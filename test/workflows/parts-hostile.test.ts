/** Capabilities that misbehave in a part: each node ends as it would alone, after one try more, and the others are none the worse for it. */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { createSet, type ResultSet } from '../../src/plan/algebra/index.ts';
import { CapabilityError, type TaskContext } from '../../src/capabilities/index.ts';
import { aborted, type RunResult } from '../../src/protocol/index.ts';
import { HOSTILE_ERRORS } from '../activities/hostile-errors.ts';
import { createBarrier, ids, tool } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task, treeOver } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const barrier = createBarrier();
const PARTS = { lane: 'parts', approval: 'effects', onFailure: 'partial' };
const input = z.object({ how: z.string(), at: z.string().default('') });
type Task = TaskContext<z.output<typeof input>>;
/** Longer than a part may be silent before the server gives it to another. */
const BLOCKED_MS = 15_000;

const failures = new Map<string, number>();

const WAYS: Readonly<Record<string, (task: Task) => ResultSet | Promise<ResultSet>>> = {
  'fails for good': () => {
    throw new CapabilityError('CRITICAL', 'broke for good');
  },
  'fails twice': ({ idempotencyKey }) => {
    const times = (failures.get(idempotencyKey) ?? 0) + 1;
    failures.set(idempotencyKey, times);
    if (times < 3) throw new Error(`broke ${times}`);
    return createSet([{ id: 'mended' }]);
  },
  'fails always': () => {
    throw new Error('broke again');
  },
  'is too slow': ({ signal }) => aborted(signal),
  'ignores its signal': async ({ arguments: { at } }) => {
    await barrier.wait(at, new AbortController().signal);
    return createSet([{ id: 'late' }]);
  },
  'gives what is no set': () => ({ ids: 'none' }) as unknown as ResultSet,
  'gives 100 MB': () => createSet(Array.from({ length: 100 }, (_, n) => ({ id: `${n}${'x'.repeat(2 ** 20)}` }))),
  'blocks the event loop': () => {
    for (const end = Date.now() + BLOCKED_MS; Date.now() < end;);
    return createSet([{ id: 'blocked' }]);
  },
};

const hostile = (name: string, timeout: object) =>
  tool({ name, retry: { attempts: 3, initialMs: 10 }, timeout }, 'read', 'set', input, (given) => {
    const way = WAYS[given.arguments.how];
    if (way === undefined) throw new CapabilityError('CRITICAL', `there is no way ${given.arguments.how}`);
    return way(given);
  });
const throwing = tool(
  { name: 'throws', retry: { attempts: 1 } },
  'read',
  'set',
  z.object({ kind: z.string() }),
  ({ arguments: { kind } }) => {
    throw HOSTILE_ERRORS[kind]!.make();
  },
);

const unstorable = tool('unstorable', 'read', 'set', z.object({}), () => {
  const round: { self?: unknown } = {};
  round.self = round;
  return round as never;
});

const rig = await sharedRig({
  capabilities: [ids, throwing, unstorable, hostile('hostile', {}), hostile('hasty', { startToCloseMs: 500 })],
});

const beside = (bad: object) => combine('UNION', bad, treeOver(Array.from({ length: 10 }, (_, n) => idsOf(`i${n}`))));

/** The failure of the bad node, how often it was begun, and how many others have succeeded. */
async function endOf(bad: object) {
  const run = await rig.start(planOf(beside(bad), PARTS));
  const { outcome, missing = [] } = (await run.result()) as RunResult;
  const { nodes } = await run.query<{ nodes: { id: string; summary: string; status: string }[] }>('nodes');
  const id = nodes.find(({ summary }) => /^(?:hostile|hasty|throws|unstorable)/.test(summary))?.id ?? '';
  return {
    outcome,
    failure: missing.find((one) => one.id === id)?.failure,
    begun: rig.begun(run)[id],
    others: nodes.filter((one) => one.id !== id && one.status === 'succeeded').length,
    repeated: Object.entries(rig.begun(run)).filter(([node, times]) => node !== id && times !== 1),
  };
}

test.each([
  ['fails for good', 'hostile', { failure: { type: 'CRITICAL', message: 'broke for good' }, begun: 2 }],
  ['fails always', 'hostile', { failure: { type: 'RETRIABLE', message: 'broke again' }, begun: 4 }],
  ['fails twice', 'hostile', { outcome: 'done', begun: 3 }],
  ['is too slow', 'hasty', { failure: { type: 'Timeout.START_TO_CLOSE' }, begun: 5 }],
  ['gives what is no set', 'hostile', { outcome: 'partial' }],
  ['gives 100 MB', 'hostile', { outcome: 'done', begun: 1 }],
  ['blocks the event loop', 'hostile', { outcome: 'done', begun: 1 }],
] as const)(
  '%s',
  async (how, capability, expected) => {
    const end = await endOf(task(capability, { how }));
    expect(end).toMatchObject({ ...expected, repeated: [] });
    expect(end.others).toBe('outcome' in expected && expected.outcome === 'done' ? 20 : 19);
  },
  120_000,
);

test('gives what cannot be stored', async () => {
  const end = await endOf(task('unstorable', {}));
  expect(end).toMatchObject({ outcome: 'partial', failure: { type: 'CRITICAL' }, others: 19, repeated: [] });
});

test.each(Object.keys(HOSTILE_ERRORS))('throws %s', async (kind) => {
  const end = await endOf(task('throws', { kind }));
  expect(end).toMatchObject({
    outcome: 'partial',
    failure: { type: HOSTILE_ERRORS[kind]!.type },
    begun: 2,
    others: 19,
  });
});

test('a node that ignores its signal keeps nobody from pausing the run', async () => {
  const run = await rig.start(planOf(beside(task('hostile', { how: 'ignores its signal', at: 'deaf' })), PARTS));
  await barrier.reached('deaf');
  await rig.until(run, ({ counts }) => counts.succeeded === 19);
  expect(await rig.say(run, 'control', { action: 'pause', by: 'operator' })).toContain('paused');
  await rig.until(run, ({ counts }) => counts.running === 0);
  expect(rig.begun(run)['node_1']).toBe(1);
  await rig.say(run, 'control', { action: 'resume', by: 'operator' });
  barrier.open('deaf');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
});
