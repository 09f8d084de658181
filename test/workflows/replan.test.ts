/** A step fails in a way that another plan may cure: the plan is made anew, with what is done, and asks as the approval asks. */

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import { CapabilityError, defineAgent, defineCapability, NotApplied } from '../../src/capabilities/index.ts';
import type { RunResult, RunStatus } from '../../src/protocol/index.ts';
import { scriptedClient, type ModelClient, type ScriptedClient, type ScriptedLine } from '../../src/models/index.ts';
import { ids } from '../support/capabilities.ts';
import { combine, idsOf } from '../support/plans.ts';
import { openRig, type Rig, type RigOptions } from '../support/rig.ts';

/** What the planner says, by the goal that it is asked about. */
const scripts = new Map<string, ScriptedClient>();
const model: ModelClient = {
  name: 'scripted',
  async complete(request, options) {
    const text = JSON.stringify(request.messages);
    const [, script] = [...scripts].find(([goal]) => text.includes(goal)) ?? [];
    return (script ?? scriptedClient([])).complete(request, options);
  },
};
let shared: Rig;
const others: Rig[] = [];
beforeAll(async () => {
  shared = await openRig(PROJECT);
});
afterEach(async () => {
  for (const rig of others.splice(0)) await rig.close();
});
afterAll(() => shared.close());

/** A list that is there, or is not. */
const list = defineCapability({
  name: 'list',
  description: 'Reads a list.',
  input: z.object({ name: z.string(), fails: z.enum(['REPLANNING', 'RECLASSIFICATION']).optional() }),
  output: 'set',
  effect: 'read',
  execute: ({ arguments: { name, fails } }) => {
    if (fails !== undefined) throw new CapabilityError(fails, `there is no list ${name}`);
    return createSet([{ id: name }]);
  },
});
/** Orders, and is refused, breaks, or does it. */
const ordered: string[] = [];
const order = defineCapability({
  name: 'order',
  description: 'Orders from a shop.',
  input: z.object({ shop: z.string() }),
  output: 'text',
  effect: 'at-most-once',
  execute: ({ arguments: { shop } }) => {
    if (shop === 'closed') throw new NotApplied('the shop is closed');
    ordered.push(shop);
    if (shop === 'odd') throw new CapabilityError('REPLANNING', 'the line went dead');
    return shop;
  },
});

const finder = defineAgent({ name: 'finder', description: 'Finds.', instructions: 'Find.', capabilities: [ids] });
const PROJECT = { capabilities: [ids, list, order], agents: [finder], model };

/** A goal of which the planner says this; in the project of all, or in one of its own. */
async function goalOf(goal: string, lines: readonly ScriptedLine[], own?: Partial<RigOptions>) {
  const script = scriptedClient(lines);
  scripts.set(goal, script);
  if (own === undefined) return { rig: shared, script, goal };
  const rig = await openRig({ ...PROJECT, ...own });
  others.push(rig);
  return { rig, script, goal };
}
const written = (...nodes: object[]): ScriptedLine => ({ reply: { value: { explanation: 'As asked.', nodes } } });
const PROSE: ScriptedLine = { reply: 'I would rather not.' };
/** What a list of steps says at its end. */
const DONE: ScriptedLine = { reply: 'Done.' };
const found = { id: 'a', task: 'Find', capability: 'ids', arguments: { ids: ['a'] } };
const read = (name: string, fails?: string) => ({
  ...{ id: 'b', task: 'Read', capability: 'list' },
  arguments: { name, ...(fails !== undefined && { fails }) },
});
const both = { id: 'u', operator: 'UNION', inputs: ['a', 'b'] };
const REPLAN = { onFailure: 'replan' };
const gone = written(found, read('gone', 'REPLANNING'), both);

const promptOf = ({ requests }: ScriptedClient, at = -1) => JSON.stringify(requests.at(at)?.messages);
const asksAnew = (rig: Rig, run: Parameters<Rig['until']>[0], revision = 2): Promise<RunStatus> =>
  rig.until(run, (status) => status.revision === revision && status.phase === 'awaiting-approval');

describe('a step fails with REPLANNING', () => {
  test('the plan is made anew, told how it went; what is done is kept, what has changed asks', async () => {
    const { rig, goal, script } = await goalOf('Join both', [gone, written(found, read('there'), both)]);
    const run = await rig.start({ goal, options: REPLAN });
    await rig.approve(run);
    const { replanned } = await asksAnew(rig, run);
    expect(replanned).toEqual({ times: 1, revision: 2, why: expect.stringContaining('no list gone') as string });
    for (const told of ['- node_2, REPLANNING: there is no list gone', '- node_1, 1 record', 'the open plan'])
      expect(promptOf(script)).toContain(told);
    expect(await rig.open(run)).toMatchObject([
      { nodes: ['node_2', 'node_3'], text: expect.stringContaining('made anew, since node_2 (Read)') as string },
    ]);
    await rig.approve(run);
    const { result } = (await run.result()) as RunResult;
    expect(await rig.read(result?.ref)).toMatchObject({ set: { ids: ['a', 'there'] } });
    expect([rig.begun(run), script.left]).toEqual([{ node_1: 1, node_2: 2, node_3: 1 }, 0]);
    const { usage } = await run.query<RunStatus>('status');
    expect(usage?.calls).toBe(2);
  });

  test('in a history that is full: the next one goes on with it', async () => {
    const tiny = { soft: { events: 20, bytes: 2 ** 20 }, hard: { events: 400, bytes: 4 * 2 ** 20 } };
    const { rig, goal, script } = await goalOf('Join at length', [gone, PROSE, written(found, read('there'), both)], {
      budget: tiny,
    });
    const run = await rig.start({ goal, options: REPLAN });
    await rig.approve(run);
    await asksAnew(rig, run);
    await rig.approve(run);
    expect(await run.result()).toMatchObject({ outcome: 'done', revision: 2 });
    const { runId } = await run.describe();
    const first = (await run.fetchHistory()).events?.[0]?.workflowExecutionStartedEventAttributes?.firstExecutionRunId;
    expect([first === runId, script.left]).toEqual([false, 0]);
  });
});

describe('an effect at most once', () => {
  const buy = (shop: string) => written({ id: 'b', task: 'Buy', capability: 'order', arguments: { shop } });

  test('that is known not to have happened is planned anew, and the other one asks', async () => {
    const { rig, goal } = await goalOf('Buy elsewhere', [buy('closed'), buy('open'), DONE]);
    const run = await rig.start({ goal, options: { ...REPLAN, approval: 'effects' } });
    await rig.approve(run);
    await asksAnew(rig, run);
    expect(ordered).toEqual([]);
    await rig.approve(run);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(ordered.splice(0)).toEqual(['open']);
  });
});

test('an edit of a person that comes while the planner is at work is the plan, and what the planner has is not used', async () => {
  const said = scriptedClient([gone, written(found, read('there'), both)]);
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  let asked = 0;
  const slow: ModelClient = {
    name: 'slow',
    async complete(request, options) {
      asked += 1;
      if (asked === 2) await released;
      return said.complete(request, options);
    },
  };
  const { rig, goal } = await goalOf('Join by hand', [], { model: slow });
  const run = await rig.start({ goal, options: REPLAN });
  const { digest } = await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
  await rig.say(run, 'decide', { kind: 'approve-part', nodes: ['node_2'], digest, by: 'operator' });
  await rig.until(run, ({ planning }) => planning !== undefined);
  const plan = { goal, plan: combine('UNION', idsOf('a'), idsOf('mine')) };
  expect(await rig.say(run, 'decide', { kind: 'edit', digest, by: 'editor', plan })).toContain('revision 2 is open');
  release();
  await rig.approve(run);
  const { result } = (await run.result()) as RunResult;
  expect(await rig.read(result?.ref)).toMatchObject({ set: { ids: ['a', 'mine'] } });
  const { revision, replanned } = await run.query<RunStatus>('status');
  expect([revision, replanned]).toEqual([2, undefined]);
});
