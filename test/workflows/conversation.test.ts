/** What one run of a conversation has found out is there for the next: told, named in its plan, and read by its steps. */

import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import type { RunResult } from '../../src/protocol/index.ts';
import { createDrafts } from '../../src/capabilities/builtin/drafts/index.ts';
import type { JsonValue } from '../../src/plan/index.ts';
import { fails, tool } from '../support/capabilities.ts';
import { ownRig, type Rig, type RigOptions } from '../support/rig.ts';
import { scriptedModel, type Script } from '../support/scripted-planner.ts';

const find = tool(
  { name: 'find', provides: ['GENES'] },
  'read',
  'set',
  z.object({ ids: z.array(z.string()) }),
  ({ arguments: given }) => createSet(given.ids.map((id) => ({ id }))),
);
const rank = tool({ name: 'rank', requires: ['GENES'] }, 'read', 'value', z.object({}), async ({ inputs }) => {
  const read = await Promise.all(inputs.map(async ({ name, read: value }) => [name, await value()] as const));
  return Object.fromEntries(
    read.map(([name, result]): [string, JsonValue] => [
      name,
      result.kind === 'set' ? [...result.set.ids] : result.kind === 'value' ? result.value : result.text,
    ]),
  );
});

async function rigWith(script?: Script, options: Partial<RigOptions> = {}) {
  const model = scriptedModel(script ?? {});
  const rig = await ownRig({ capabilities: [find, rank, fails], ...(script !== undefined && { model }), ...options });
  return { rig, model };
}

const conversation = 'reef';
const options = { conversation, approval: 'effects' };
const step = (context_key: string, capability: string, more: object = {}) => ({
  context_key,
  capability,
  task_objective: `Step ${context_key}`,
  ...more,
});
const finding = (key: string, ...list: string[]) => step(key, 'find', { parameters: { ids: list } });
const ranking = (...inputs: string[]) => step('ranks', 'rank', { inputs });
const listOf = (...list: object[]) => ({ goal: 'Work on genes', steps: list });
const steps = (...list: object[]) => ({ plan: listOf(...list), options });
const EXTRACTED = { task: 'Rank them', depends_on_chat_history: true, depends_on_user_memory: false };

async function ended(rig: Rig, input: object): Promise<RunResult> {
  return (await (await rig.start(input)).result()) as RunResult;
}
async function valueOf(rig: Rig, { results = {} }: RunResult, key = 'ranks') {
  const result = await rig.read(results[key]?.ref);
  return result.kind === 'value' ? result.value : result;
}

describe('Osprey: context reuse', () => {
  test('a plan of the next run takes a result of the run before by its key, whatever became of its worker', async () => {
    const nodes = [{ id: 'ranks', task: 'Rank the genes', capability: 'rank', inputs: ['genes'] }];
    const { rig, model } = await rigWith({
      extract: [{ json: EXTRACTED }],
      // The answer of the first run, the plan of the next one, and its answer.
      write: ['Found.', { json: { nodes } }, 'Ranked.'],
    });
    await ended(rig, steps(finding('genes', 'a', 'b')));
    await rig.stopWorker();
    await rig.startWorker();
    const run = await rig.start({ goal: 'Rank the genes', options });
    expect(await valueOf(rig, (await run.result()) as RunResult)).toEqual({ genes: ['a', 'b'] });
    const [, asked = []] = model.asked
      .filter(({ purpose }) => purpose === 'write')
      .map(({ request }) => request.messages);
    expect(asked.at(-1)?.content).toContain('"genes" of type GENES, made for: Step genes');
    expect(asked[0]?.content).toContain('- rank:');
    const draft = await createDrafts(rig.store).get(conversation);
    expect(draft).toMatchObject({ entry: { errors: 0, by: 'planner' } });
  });

  test('a plan that a person wrote takes them too, and so does an edit; the last result of a key counts', async () => {
    const { rig } = await rigWith();
    await ended(rig, steps(finding('genes', 'a'), finding('more', 'b')));
    await ended(rig, steps(finding('genes', 'c')));
    expect(await valueOf(rig, await ended(rig, steps(ranking('genes'))))).toEqual({ genes: ['c'] });
    const { run, digest } = await rig.startAsked({ ...steps(ranking('genes')), options: { conversation } });
    const plan = listOf(ranking('more'));
    expect(await rig.say(run, 'decide', { kind: 'edit', digest, by: 'operator', plan })).toContain('revision 2');
    await rig.approve(run);
    expect(await valueOf(rig, (await run.result()) as RunResult)).toEqual({ more: ['b'] });
  });

  test('another conversation, and a run without one, know nothing of it', async () => {
    const { rig } = await rigWith();
    await ended(rig, steps(finding('genes', 'a')));
    for (const other of [{ conversation: 'another' }, {}]) {
      const run = ended(rig, { ...steps(ranking('genes')), options: { approval: 'effects', ...other } });
      await expect(run).rejects.toMatchObject({ cause: { type: 'InvalidPlan' } });
    }
  });
});

test('a run whose results cannot be kept has ended all the same, and says so', async () => {
  const { rig } = await rigWith(undefined, { keepEnd: () => Promise.reject(new TypeError('no disk')) });
  const run = await rig.start(steps(finding('genes', 'a')));
  expect(((await run.result()) as RunResult).outcome).toBe('done');
  const closed = (await rig.trace(run, 'closed')).map(({ text }) => text);
  expect(closed).toEqual(['done', expect.stringMatching(/not kept in conversation "reef": .*no disk/)]);
});
