/** A revision or an edit after an effect has run: it does not run again, unless somebody is told so and approves it. */

import { afterAll, afterEach, expect, test } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import type { RunResult } from '../../src/protocol/index.ts';
import { scriptedClient, type ScriptedLine } from '../../src/models/index.ts';
import { ids, writes } from '../support/capabilities.ts';
import { idsOf } from '../support/plans.ts';
import { openRig, type Rig } from '../support/rig.ts';

const rigs: Rig[] = [];
const SET = { task: 'Set the magnet to 44 A', capability: 'set', arguments: { value: '44' } };
const pay = (value: string) => ({ task: 'Pay the bill', capability: 'pay', arguments: { value } });
const TREE = { goal: 'Set and pay', plan: { ...pay('x'), input: SET }, options: { approval: 'effects' } };
const AGAIN = 'Set the magnet to 44 A has run already (revision 1, node_1); approving this lets it run again';

/** What a tree cannot say: its last node takes two. */
const written = (set: object, paid: object): ScriptedLine => ({
  reply: {
    value: {
      nodes: [
        { id: 'set', ...set },
        { id: 'paid', ...paid, inputs: ['set'] },
        { id: 'said', task: 'Say both', capability: 'respond', inputs: ['set', 'paid'] },
      ],
    },
  },
});

async function startWith(...lines: readonly ScriptedLine[]) {
  const set: string[] = [];
  const paid: string[] = [];
  const model = scriptedClient(lines);
  const rig = await openRig({
    capabilities: [writes('set', 'at-most-once', set), writes('pay', 'at-most-once', paid)],
    model,
  });
  rigs.push(rig);
  const run = await rig.start(TREE);
  const { digest } = await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
  await rig.say(run, 'decide', { kind: 'approve-part', nodes: ['node_1'], digest, by: 'operator' });
  await rig.until(run, ({ counts }) => counts.succeeded === 1);
  expect(set).toHaveLength(1);
  return { rig, run, set, paid };
}

async function change(rig: Rig, run: WorkflowHandle, said: object) {
  const { digest } = await rig.until(run, () => true);
  return rig.say(run, 'decide', { digest, by: 'reviewer', ...said });
}

afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});
afterAll(() => undefined);

test('a revise that must turn a tree into a list repeats nothing: the effect keeps its result', async () => {
  const { rig, run, set, paid } = await startWith(written(SET, pay('y')), { reply: 'Both are done.' });
  const reply = await change(rig, run, { kind: 'revise', feedback: 'pay y, and say both' });
  expect(reply).toContain('0 of its 3 nodes are unchanged, 1 only in form, and keep what they did');
  const open = await rig.opened(run, ({ kind }) => kind === 'approval');
  expect(open).toMatchObject({ revision: 2, nodes: ['node_2'] });
  expect(open).not.toHaveProperty('warning');
  await change(rig, run, { kind: 'approve' });
  expect(((await run.result()) as RunResult).outcome).toBe('done');
  expect(await rig.statuses(run)).toEqual(['reused', 'succeeded', 'succeeded']);
  expect([set.length, paid.length]).toEqual([1, 1]);
});

test('a revise that changes the arguments of an effect that ran asks the plain question', async () => {
  const { rig, run } = await startWith(written({ ...SET, arguments: { value: '45' } }, pay('x')));
  await change(rig, run, { kind: 'revise', feedback: '45 A' });
  const open = await rig.opened(run, ({ revision }) => revision === 2);
  expect(open.nodes).toEqual(['node_1', 'node_2']);
  expect(open.text).toMatch(/^approve 2 nodes of the plan/);
  await run.terminate('seen');
});

test('a revise that would repeat an effect says so in the first line, and in its reply', async () => {
  const { rig, run } = await startWith(written({ ...SET, task: 'Set it once more' }, pay('x')));
  expect(await change(rig, run, { kind: 'revise', feedback: 'once more' })).toContain(AGAIN);
  const open = await rig.opened(run, ({ revision }) => revision === 2);
  expect(open.warning).toBe(AGAIN);
  expect(open.text.split('\n')[0]).toBe(AGAIN);
  await run.terminate('seen');
});

test('an edit that would repeat an effect says so, also after one that had left it out', async () => {
  const { rig, run, set } = await startWith();
  await change(rig, run, { kind: 'edit', plan: { goal: TREE.goal, plan: pay('z') } });
  expect(await rig.opened(run, ({ revision }) => revision === 2)).not.toHaveProperty('warning');
  await change(rig, run, { kind: 'edit', plan: { goal: TREE.goal, plan: { ...SET, hint: 'slowly' } } });
  expect(await rig.opened(run, ({ revision }) => revision === 3)).toMatchObject({ warning: AGAIN });
  expect(set).toHaveLength(1);
  // A person who was told has it run again.
  await change(rig, run, { kind: 'approve' });
  expect(((await run.result()) as RunResult).outcome).toBe('done');
  expect(set).toHaveLength(2);
});

/** A plan whose effect stands on a read, before a payment that nobody has approved. */
const OVER = (read: object) => ({ ...pay('x'), input: { ...SET, input: read } });
test.each<[what: string, plan: object, said: 'kept' | 'told']>([
  [
    'another payment after it',
    { goal: TREE.goal, plan: { ...pay('y'), input: { ...SET, input: idsOf('a') } } },
    'kept',
  ],
  ['its input', { goal: TREE.goal, plan: OVER(idsOf('b')) }, 'told'],
  ['its input, which it has no more', { goal: TREE.goal, plan: { ...pay('x'), input: SET } }, 'told'],
])('an effect that has begun is kept or told, where an edit changes %s', async (_, plan, said) => {
  const set: string[] = [];
  const capabilities = [ids, writes('set', 'at-most-once', set), writes('pay', 'at-most-once', [])];
  const rig = await openRig({ capabilities });
  rigs.push(rig);
  const run = await rig.start({ ...TREE, plan: OVER(idsOf('a')) });
  const { digest } = await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
  await rig.say(run, 'decide', { kind: 'approve-part', nodes: ['node_2'], digest, by: 'operator' });
  await rig.until(run, ({ counts }) => counts.succeeded === 2);
  await change(rig, run, { kind: 'edit', plan });
  const open = await rig.opened(run, ({ revision }) => revision === 2);
  const warning = expect.stringContaining('Set the magnet to 44 A has run already (revision 1, node_2)') as string;
  expect(open).toEqual(expect.objectContaining(said === 'told' ? { warning } : { nodeCount: 1 }));
  expect(set).toHaveLength(1);
  await run.terminate('seen');
});
