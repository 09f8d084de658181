/** A goal becomes a plan in a run: stage after stage, journaled, corrected, asked about, revised. */

import { describe, expect, test } from 'vitest';
import type { WorkflowHandle } from '@temporalio/client';
import { defineAgent } from '../../src/capabilities/index.ts';
import type { PlanView, RunMode, RunResult, RunStatus } from '../../src/protocol/index.ts';
import { scriptedClient, type ScriptedLine } from '../../src/models/index.ts';
import { echo, fails, ids } from '../support/capabilities.ts';
import { ownRig } from '../support/rig.ts';

const planned = (...nodes: object[]): ScriptedLine => ({ reply: { value: { explanation: 'As asked.', nodes } } });
const find = (...list: string[]) => ({ id: 'a', task: 'Find', capability: 'ids', arguments: { ids: list } });
/** With an operator it is a tree, and nothing is answered at its end. */
const joined = (...list: string[]) => [find(...list), { id: 'u', operator: 'UNION', inputs: ['a', 'a'] }];
const helper = defineAgent({ name: 'finder', description: 'Finds.', instructions: 'Find.', capabilities: [ids] });

async function rigWith(lines: readonly ScriptedLine[], mode?: RunMode) {
  const model = scriptedClient(lines);
  const own = mode === undefined ? {} : { mode };
  const rig = await ownRig({ capabilities: [ids, echo, fails], agents: [helper], model, ...own });
  return { rig, model };
}

const textOf = (run: WorkflowHandle) => run.query<PlanView>('plan').then(({ text }) => text);

describe('a goal alone', () => {
  test('Osprey: order of planning: a common goal is one call; approving asks the model no more', async () => {
    const { rig, model } = await rigWith([planned(...joined('a', 'b'))]);
    const run = await rig.start({ goal: 'Find a and b' });
    const status = await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
    expect(status).toMatchObject({ revision: 1, usage: { calls: 1 } });
    expect(status.planning).toBeUndefined();
    const asked = model.requests.length;
    await rig.approve(run);
    const result = (await run.result()) as RunResult;
    expect(result.outcome).toBe('done');
    expect(await rig.read(result.result?.ref)).toMatchObject({ kind: 'set', set: { ids: ['a', 'b'] } });
    expect(model.requests.length).toBe(asked);
    expect(model.left).toBe(0);
  });

  test('Osprey: hallucinated capabilities: the model is told the issues, and the next call is right', async () => {
    const { rig } = await rigWith([planned({ ...find('a'), capability: 'nosuch' }), planned(find('a'))]);
    const run = await rig.startApproved({ goal: 'Find a' });
    expect(((await run.result()) as RunResult).outcome).toBe('done');
    const trace = await rig.trace(run, 'planned');
    expect(trace.map(({ text }) => text).join('\n')).toContain('nosuch');
  });

  test('Calute: fallback: what a model does wrong ends in one step for the first agent, which waits for a person', async () => {
    const bad: ScriptedLine = { reply: 'I would rather not.' };
    const { rig } = await rigWith([bad, bad, bad, bad, bad, bad]);
    const run = await rig.start({ goal: 'Find a', options: { approval: 'effects' } });
    const status = await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
    expect(status).toMatchObject({ fallback: true, counts: { total: 1 } });
    const open = await rig.opened(run, ({ kind }) => kind === 'approval');
    expect(open.text).toContain('fallback');
    expect(await textOf(run)).toContain('finder');
    await run.terminate('seen');
  });
});

test('the planner asks while there is no plan, an answer goes into the next call, and the question is in the inbox as any other', async () => {
  const question = { text: 'Which ids?', suggestions: ['a'] };
  const { rig, model } = await rigWith([{ reply: { value: { question } } }, planned(...joined('a'))]);
  const run = await rig.start({ goal: 'Find some' });
  const open = await rig.opened(run, ({ id }) => id === 'planner.1');
  expect(open).toMatchObject({ kind: 'question', text: 'Which ids?', suggestions: ['a'] });
  expect((await run.query<RunStatus>('status')).phase).toBe('drafting');
  expect(
    await rig.say(run, 'answer', { question: 'planner.1', value: 'only a', digest: open.digest, by: 'operator' }),
  ).toBe('answered');
  await rig.approve(run);
  expect(((await run.result()) as RunResult).outcome).toBe('done');
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('only a');
});

test('a person asks for another plan three rounds, each a revision of its own; what is unchanged keeps its approvals', async () => {
  const rounds = ['b', 'c', 'd'];
  const { rig, model } = await rigWith([planned(...joined('a')), ...rounds.map((one) => planned(...joined(one)))]);
  const run = await rig.start({ goal: 'Find one' });
  for (const [at, one] of rounds.entries()) {
    const { digest } = await rig.until(run, ({ revision }) => revision === at + 1);
    const reply = await rig.say(run, 'decide', { kind: 'revise', digest, by: 'reviewer', feedback: `take ${one}` });
    expect(reply).toContain(`revision ${at + 2} is open`);
    expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain(`take ${one}`);
  }
  await rig.approve(run);
  const result = (await run.result()) as RunResult;
  expect(await rig.read(result.result?.ref)).toMatchObject({ set: { ids: ['d'] } });
  expect(model.left).toBe(0);
});

describe('Osprey: error node', () => {
  const failing = { id: 'a', task: 'Break', capability: 'fails', arguments: { how: 'critical' } };

  test('a failed run says in words what failed, with what a model makes of it', async () => {
    const { rig } = await rigWith([planned(failing), { reply: 'The line is dead.' }]);
    const run = await rig.startApproved({ goal: 'Break it' });
    const failure = await run.result().catch(({ cause }: { cause: { details: [{ report: string }] } }) => cause);
    const { report } = (failure as { details: [{ report: string }] }).details[0];
    for (const piece of ['Class: CRITICAL', 'Task: Break it', 'broke for good', 'The line is dead.'])
      expect(report).toContain(piece);
  });
});
