/** A step fails in a way that another plan may cure: the plan is made anew, with what is done, and asks as the approval asks. */

import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/language/algebra/index.ts';
import { CapabilityError, defineAgent, defineCapability, NotApplied } from '../../src/define/index.ts';
import type { RunResult } from '../../src/wire/contract/index.ts';
import { scriptedClient, type ScriptedLine } from '../../src/model/index.ts';
import { ids } from '../support/capabilities.ts';
import { openRig, type Rig } from '../support/rig.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});

/** A list that is there, or is not. */
const list = defineCapability({
  name: 'list',
  description: 'Reads a list.',
  input: z.object({ name: z.string(), as: z.enum(['REPLANNING', 'RECLASSIFICATION', 'CRITICAL']).optional() }),
  output: 'set',
  effect: 'read',
  execute: ({ arguments: { name, as } }) => {
    if (as !== undefined) throw new CapabilityError(as, `there is no list ${name}`);
    return createSet([{ id: name }]);
  },
});

async function rigWith(...lines: ScriptedLine[]) {
  const model = scriptedClient(lines);
  const finder = defineAgent({ name: 'finder', description: 'Finds.', instructions: 'Find.', capabilities: [ids] });
  const rig = await openRig({ capabilities: [ids, list], agents: [finder], model });
  rigs.push(rig);
  return { rig, model };
}
const written = (...nodes: object[]): ScriptedLine => ({ reply: { value: { explanation: 'As asked.', nodes } } });
const found = { id: 'a', task: 'Find', capability: 'ids', arguments: { ids: ['a'] } };
const read = (name: string, as?: string) => ({ id: 'b', task: 'Read', capability: 'list', arguments: { name, ...(as && { as }) } });
const both = { id: 'u', operator: 'UNION', inputs: ['a', 'b'] };
const REPLAN = { onFailure: 'replan' };

describe('a step fails with REPLANNING', () => {
  test('the plan is made anew, told how it went; what is done is kept, what has changed asks', async () => {
    const { rig, model } = await rigWith(written(found, read('gone', 'REPLANNING'), both), written(found, read('there'), both));
    const run = await rig.start({ goal: 'Join them', options: REPLAN });
    await rig.approve(run);
    const status = await rig.until(run, ({ revision, phase }) => revision === 2 && phase === 'awaiting-approval');
    expect(status.replanned).toEqual({ times: 1, revision: 2, why: expect.stringContaining('there is no list gone') as string });
    const prompt = JSON.stringify(model.requests.at(-1)?.messages);
    for (const told of ['- node_2, REPLANNING: there is no list gone', '- node_1, 1 record']) expect(prompt).toContain(told);
    const item = await rig.opened(run, ({ kind }) => kind === 'approval');
    expect(item).toMatchObject({ nodes: ['node_2', 'node_3'], text: expect.stringContaining('made anew, since node_2') as string });
    await rig.approve(run);
    const result = (await run.result()) as RunResult;
    expect(await rig.read(result.result?.ref)).toMatchObject({ set: { ids: ['a', 'there'] } });
    expect([rig.begun(run), model.left]).toEqual([{ node_1: 1, node_2: 2, node_3: 1 }, 0]);
  });
});
