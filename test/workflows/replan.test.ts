/** A step fails in a way that another plan may cure: the run is replanning, with what is done, and asks as the approval asks. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import { CapabilityError, defineAgent, NotApplied } from '../../src/capabilities/index.ts';
import type { RunResult, RunStatus } from '../../src/protocol/index.ts';
import { scriptedClient, type ScriptedClient, type ScriptedLine } from '../../src/models/index.ts';
import { ids, tool } from '../support/capabilities.ts';
import { ownRig, type Rig } from '../support/rig.ts';

/** A list that is there, or is not. */
const list = tool(
  'list',
  'read',
  'set',
  z.object({ name: z.string(), fails: z.enum(['REPLANNING', 'RECLASSIFICATION']).optional() }),
  ({ arguments: { name, fails } }) => {
    if (fails !== undefined) throw new CapabilityError(fails, `there is no list ${name}`);
    return createSet([{ id: name }]);
  },
);
/** Orders, and is refused, breaks, or does it. */
const ordered: string[] = [];
const order = tool('order', 'at-most-once', 'text', z.object({ shop: z.string() }), ({ arguments: { shop } }) => {
  if (shop === 'closed') throw new NotApplied('the shop is closed');
  ordered.push(shop);
  if (shop === 'odd') throw new CapabilityError('REPLANNING', 'the line went dead');
  return shop;
});

const finder = defineAgent({ name: 'finder', description: 'Finds.', instructions: 'Find.', capabilities: [ids] });
/** A project whose planner says this. */
async function planned(lines: readonly ScriptedLine[]) {
  const model = scriptedClient(lines);
  return { model, rig: await ownRig({ capabilities: [ids, list, order], agents: [finder], model }) };
}
const written = (...nodes: object[]): ScriptedLine => ({ reply: { value: { explanation: 'As asked.', nodes } } });
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

test('a step fails with REPLANNING the run is replanning, told how it went; what is done is kept, what has changed asks', async () => {
  const { rig, model } = await planned([gone, written(found, read('there'), both)]);
  const run = await rig.startApproved({ goal: 'Join both', options: { ...REPLAN, lane: 'visible' } });
  const { replanned } = await asksAnew(rig, run);
  expect(replanned).toEqual({ times: 1, revision: 2, why: expect.stringContaining('no list gone') as string });
  for (const told of ['- node_2, REPLANNING: there is no list gone', '- node_1, 1 record', 'the open plan'])
    expect(promptOf(model)).toContain(told);
  expect(await rig.open(run)).toMatchObject([
    { nodes: ['node_2', 'node_3'], text: expect.stringContaining('replanned, since node_2 (Read)') as string },
  ]);
  await rig.approve(run);
  const { result } = (await run.result()) as RunResult;
  expect(await rig.read(result?.ref)).toMatchObject({ set: { ids: ['a', 'there'] } });
  expect([rig.begun(run), model.left]).toEqual([{ node_1: 1, node_2: 2, node_3: 1 }, 0]);
  const { usage } = await run.query<RunStatus>('status');
  expect(usage?.calls).toBe(2);
});

describe('an effect at most once', () => {
  const buy = (shop: string) => written({ id: 'b', task: 'Buy', capability: 'order', arguments: { shop } });

  test('that is known not to have happened is planned anew, and the other one asks', async () => {
    const { rig } = await planned([buy('closed'), buy('open'), DONE]);
    const run = await rig.startApproved({ goal: 'Buy elsewhere', options: { ...REPLAN, approval: 'effects' } });
    await asksAnew(rig, run);
    expect(ordered).toEqual([]);
    await rig.approve(run);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(ordered.splice(0)).toEqual(['open']);
  });
});
