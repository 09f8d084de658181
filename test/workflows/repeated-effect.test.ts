/** A revision or an edit after an effect has run: it does not run again, unless somebody is told so and approves it. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { WorkflowHandle } from '@temporalio/client';
import { CapabilityError } from '../../src/capabilities/index.ts';
import type { OpenItem, RunResult } from '../../src/protocol/index.ts';
import { scriptedClient, type ModelClient, type ScriptedLine } from '../../src/models/index.ts';
import { ids, writes, tool } from '../support/capabilities.ts';
import { task } from '../support/plans.ts';
import { openRig, type Rig, ownRig } from '../support/rig.ts';

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
  const capabilities = [writes('set', 'at-most-once', set), writes('pay', 'at-most-once', paid)];
  const rig = await ownRig({ capabilities, model });
  const { run, digest } = await rig.startAsked(TREE);
  await rig.say(run, 'decide', { kind: 'approve-part', nodes: ['node_1'], digest, by: 'operator' });
  await rig.until(run, ({ counts }) => counts.succeeded === 1);
  expect(set).toHaveLength(1);
  return { rig, run, set, paid };
}

async function change(rig: Rig, run: WorkflowHandle, said: object) {
  const { digest } = await rig.until(run, () => true);
  return rig.say(run, 'decide', { digest, by: 'reviewer', ...said });
}

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

test('an uncertain effect is asked about until it is settled: without its node, in its node again, and in another form', async () => {
  const paid: string[] = [];
  const set = writes('set', 'at-most-once', []);
  const rig = await ownRig({ capabilities: [set, writes('pay', 'at-most-once', paid)] });
  const BREAKS = { ...pay('x'), arguments: { value: 'x', mode: 'breaks' } };
  const both = { goal: TREE.goal, plan: { ...SET, input: BREAKS } };
  const { run, digest } = await rig.startAsked({ ...both, options: { approval: 'effects' } });
  const uncertain = ({ kind }: OpenItem) => kind === 'uncertain';
  await rig.say(run, 'decide', { kind: 'approve-part', nodes: ['node_1'], digest, by: 'operator' });
  const first = await rig.opened(run, uncertain);
  const begun = /begun at [^:]*:\d\d:\d\dZ/.exec(first.text)?.[0];
  expect(begun).toBeDefined();
  await change(rig, run, { kind: 'edit', plan: { goal: TREE.goal, plan: SET } });
  const id = `${digest.slice(0, 8)}.node_1`;
  expect(await rig.opened(run, uncertain)).toMatchObject({ id, digest, deadline: first.deadline });
  await change(rig, run, { kind: 'edit', plan: both });
  expect(await rig.opened(run, uncertain)).toMatchObject({
    id: 'node_1',
    text: expect.stringContaining(begun!) as string,
  });
  await change(rig, run, { kind: 'edit', plan: { ...both, plan: { ...SET, input: { ...BREAKS, hint: 'today' } } } });
  const open = await rig.opened(run, ({ kind }) => kind === 'approval');
  expect(open.effects?.[0]?.before).toMatch(
    /^may have run already: pay: Pay the bill, revision 3, node_1, begun at .*with value "x"/,
  );
  expect(await change(rig, run, { kind: 'approve' })).toContain('to approve it again, give a comment');
  expect(paid).toHaveLength(1);
  await change(rig, run, { kind: 'edit', plan: { goal: TREE.goal, plan: SET } });
  await change(rig, run, { kind: 'approve' });
  await rig.until(run, ({ counts }) => counts.succeeded === 1);
  expect((await rig.until(run, () => true)).phase).toBe('running');
  const settle = { action: 'resolve', node: 'node_1', digest, outcome: 'succeeded', value: ['x'], by: 'operator' };
  expect(await rig.say(run, 'control', settle)).toContain('counts as succeeded');
  const result = (await run.result()) as RunResult;
  expect([result.outcome, result.uncertain, paid.length]).toEqual(['done', undefined, 1]);
});

describe('an effect that has begun is kept or told, whatever changes around it', () => {
  type Node = ReturnType<typeof task>;
  const read = (id: string, over = {}) => task('ids', { ids: [id] }, over);
  const SETS = task('set', { value: '44' }, { task: SET.task });
  const BREAKS = task('fails', { how: 'replan' });
  /** What was approved and ran is its second node. */
  const BEFORE = [read('a'), SETS, task('pay', { value: 'x' })];
  const LATER = task('pay', { value: 'y' });
  const CHANGES: Record<string, readonly [readonly Node[], 'kept' | 'told']> = {
    'what comes after it': [[read('a'), SETS, LATER], 'kept'],
    'what its input reads': [[read('b'), SETS, LATER], 'told'],
    'the words of its input': [[read('a', { task: 'Find a' }), SETS, LATER], 'told'],
    'its input, which it has no more': [[SETS, LATER], 'told'],
    'its place, behind what came after it': [[read('a'), LATER, SETS], 'told'],
    'its own words': [[read('a'), { ...SETS, task: 'Set it once more' }, LATER], 'told'],
    'it comes a second time': [[read('a'), SETS, LATER, SETS], 'told'],
  };

  const treeOf = (nodes: readonly Node[]) =>
    nodes.reduce<object | undefined>((input, node) => ({ ...node, ...(input && { input }) }), undefined);
  const steps = (nodes: readonly Node[]) =>
    nodes.map(({ task: words, capability, arguments: parameters }, at) => ({
      ...{ context_key: `k${at}`, task_objective: words, capability, parameters },
      inputs: at === 0 ? [] : [`k${at - 1}`],
    }));
  const nodesOf = (nodes: readonly Node[]) =>
    nodes.map((node, at) => ({ ...node, type: undefined, id: `k${at}`, inputs: at === 0 ? [] : [`k${at - 1}`] }));
  const tree = (goal: string, nodes: readonly Node[]) => ({ goal, plan: treeOf(nodes) });
  const listed = (goal: string, nodes: readonly Node[]) => ({ goal, steps: steps(nodes) });
  const goalOf = (name: string) => `Set and pay, changed: ${name}`;
  /** The planner writes the plan of the goal that it is asked about. */
  const model: ModelClient = {
    name: 'scripted',
    complete(request, options) {
      const asked = JSON.stringify(request.messages);
      const [, [nodes]] = Object.entries(CHANGES).find(([name]) => asked.includes(goalOf(name)))!;
      return scriptedClient([{ reply: { value: { nodes: nodesOf(nodes) } } }]).complete(request, options);
    },
  };
  const set: string[] = [];
  let rig: Rig;
  beforeAll(async () => {
    const breaks = tool('fails', 'read', 'set', z.looseObject({}), () => {
      throw new CapabilityError('REPLANNING', 'another plan may do');
    });
    const capabilities = [ids, breaks, writes('set', 'at-most-once', set), writes('pay', 'at-most-once', [])];
    rig = await openRig({ capabilities, model });
  });
  afterAll(() => rig.close());

  type Form = typeof tree | typeof listed;
  test.each<[way: string, first: Form, then: 'revise' | 'replan' | Form]>([
    ['an edit', tree, tree],
    ['an edit of a list', listed, listed],
    ['an edit that makes a list of it', tree, listed],
    ['an edit that makes a tree of it', listed, tree],
    ['a revise', tree, 'revise'],
    ['a plan that is made anew', tree, 'replan'],
  ])('by %s', async (_, first, then) => {
    set.length = 0;
    await Promise.all(Object.keys(CHANGES).map((name) => changed(name, first, then)));
    expect(set).toHaveLength(Object.keys(CHANGES).length);
  });

  async function changed(name: string, first: Form, then: 'revise' | 'replan' | Form): Promise<void> {
    const [nodes, end] = CHANGES[name]!;
    const goal = goalOf(name);
    const before = then === 'replan' ? [...BEFORE.slice(0, 2), BREAKS, ...BEFORE.slice(2)] : BEFORE;
    const { run, digest } = await rig.startAsked({
      plan: first(goal, before),
      options: { approval: 'effects', onFailure: 'replan' },
    });
    await rig.say(run, 'decide', { kind: 'approve-part', nodes: ['node_2'], digest, by: 'operator' });
    if (then !== 'replan') {
      await rig.until(run, ({ counts }) => counts.succeeded === 2);
      const said =
        then === 'revise' ? { kind: 'revise', feedback: 'as said' } : { kind: 'edit', plan: then(goal, nodes) };
      await change(rig, run, said);
    }
    const isOpen = ({ revision, kind }: OpenItem) => revision === 2 && kind === 'approval';
    const seen = { name, told: (await rig.opened(run, isOpen)).warning ?? 'kept' };
    const told = expect.stringMatching(/Set the magnet to 44 A has run already \(revision [12], node_2\)/) as string;
    expect(seen).toEqual({ name, told: end === 'told' ? told : 'kept' });
    await run.terminate('seen');
  }
});
