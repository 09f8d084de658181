/** Loops with a model behind HTTP that obeys the protocol and not its task: how each ends, and what it did before. */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { type RunResult, type RunStatus } from '../../src/protocol/index.ts';
import { openAIClient } from '../../src/models/index.ts';
import { fails, ids, tool, writes } from '../support/capabilities.ts';
import { startLoopServer, type Said } from '../support/loop-server.ts';
import { chatDelta, chatEvents, startModelServer } from '../support/model-server.ts';
import { ownRig } from '../support/rig.ts';

const written: string[] = [];

async function open(script: readonly Said[], maxRounds = 8) {
  const { client, asked } = await startLoopServer(script);
  const rig = await ownRig({ capabilities: [ids, fails, writes('writes', 'idempotent', written)], model: client });
  const run = await rig.start({ goal: 'Find it', options: { mode: 'reactive', maxRounds } });
  const failure = () =>
    run.result().then(
      (result) => ({ type: 'none', message: JSON.stringify(result) }),
      ({ cause }: { cause: { type: string; message: string } }) => cause,
    );
  /** The decisions that were bought: the report of a failure has no tools. */
  const decisions = () => asked.filter(({ tools }) => tools !== undefined).length;
  return { rig, run, asked, failure, decisions };
}

test.each<[string, readonly Said[], number, RegExp]>([
  ['answers prose for ever', ['I would now call ids.'], 2, /^no-result in round 2.*2 replies in a row call no tool/],
  ['only thinks', ['<think>I could look for it'], 2, /^no-result in round 2.*it holds thoughts alone/],
  ['says nothing', [''], 5, /^no-result in round 5 after 5 replies in a row.*The reply is empty/],
  [
    'calls tools that do not exist',
    [[['approve', { digest: '01234567' }]]],
    5,
    /^no-result in round 5.*no tool "approve"/,
  ],
  [
    'sends 50 MB',
    ['x'.repeat(50_000_000)],
    5,
    /^no-result in round 5.*sent \d+ bytes in one piece; at most \d+ are read/,
  ],
  [
    'gives a call 10^6 keys',
    [[['ids', `{${Array.from({ length: 1_000_000 }, (_, at) => `"${at.toString(36)}":1`).join()}}`]]],
    5,
    /^no-result in round 5.*The arguments of ids have \d+ characters; at most 100000 are read|at replyBytes/,
  ],
  ['says half characters', ['\uD83D I look'], 2, /^no-result in round 2.*2 replies in a row call no tool/],
])('a model that never does its task: %s: the run fails and did nothing', async (_, script, most, message) => {
  const { rig, run, failure, decisions } = await open(script);
  expect(await failure()).toMatchObject({ type: 'PlanFailed', message: expect.stringMatching(message) as string });
  expect([decisions(), rig.begun(run)]).toEqual([most, {}]);
});

test('a model that answers after the run was cancelled: nothing of it is carried out', async () => {
  let isAsked = (): void => {};
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  const server = await startModelServer(() => {
    isAsked();
    return { events: [chatDelta({ role: 'assistant' })], after: 'silence' };
  });
  const model = openAIClient({ baseURL: server.baseURL, name: 'late', api: 'chat', format: 'none' });
  const rig = await ownRig({ capabilities: [ids, writes('writes', 'idempotent', written)], model });
  const run = await rig.start({ goal: 'Write it', options: { mode: 'reactive', approval: 'effects' } });
  await asked;
  await run.cancel();
  const call = { index: 0, id: 'c', function: { name: 'writes', arguments: '{"name":"late"}' } };
  server.say([chatDelta({ tool_calls: [call] }), ...chatEvents([], 'tool_calls')], 'end');
  await expect(run.result()).rejects.toThrow();
  expect((await run.describe()).status.name).toBe('CANCELLED');
  expect([rig.begun(run), written, server.asked.length]).toEqual([{}, [], 1]);
});

test('a server that changes its personality in mid-run: the loop goes on, and each question is bought once', async () => {
  let answered = 0;
  const server = await startModelServer(({ body }) => {
    if (answered >= 1 && 'tool_choice' in body) {
      return {
        status: 400,
        body: { error: { message: "Unsupported parameter: 'tool_choice'", param: 'tool_choice' } },
      };
    }
    answered += 1;
    const [name, args] = answered < 3 ? ['ids', '{"ids":["a"]}'] : ['finish', '{"answer":"Found."}'];
    const call = { index: 0, id: 'c', function: { name, arguments: args } };
    return { events: [chatDelta({ tool_calls: [call] }), ...chatEvents([], 'tool_calls')] };
  });
  const model = openAIClient({ baseURL: server.baseURL, name: 'fickle', api: 'chat', format: 'none' });
  const rig = await ownRig({ capabilities: [ids], model });
  const run = await rig.start({ goal: 'Find it', options: { mode: 'reactive' } });
  expect(((await run.result()) as RunResult).outcome).toBe('done');
  const { usage } = await run.query<RunStatus>('status');
  expect([answered, server.asked.length, usage?.calls]).toEqual([3, 4, 3]);
});

test('an effect that may have happened is named before it is asked for again, whatever words and values the model uses', async () => {
  const paid: string[] = [];
  const pay = tool('pay', 'at-most-once', 'text', z.object({ to: z.string() }), ({ arguments: { to } }) => {
    paid.push(to);
    if (paid.length === 1) throw new Error('the connection broke after the request was sent');
    return to;
  });
  const { client } = await startLoopServer([
    [['pay', { task: 'Pay the bill', to: 'the shop' }]],
    [['pay', { task: 'Settle the invoice', to: 'The Shop Ltd.' }]],
    [['finish', { answer: 'paid' }]],
  ]);
  const rig = await ownRig({ capabilities: [pay], model: client });
  const run = await rig.start({ goal: 'Pay it', options: { mode: 'reactive', approval: 'effects' } });
  const first = await rig.opened(run, ({ kind }) => kind === 'approval');
  expect(first).not.toHaveProperty('warning');
  await rig.approve(run);
  await rig.opened(run, ({ kind }) => kind === 'uncertain');
  await rig.say(run, 'control', { action: 'skip-node', node: 'node_1', by: 'operator' });
  const again = await rig.opened(run, ({ kind, digest }) => kind === 'approval' && digest !== first.digest);
  expect(again.warning).toMatch(
    /^Pay the bill may have run already \(.*\), by the same capability; approving this may let it run again, and takes a reason$/,
  );
  expect(again.text.split('\n')[0]).toBe(again.warning);
  const approve = { kind: 'approve', digest: again.digest, by: 'operator' };
  expect(await rig.say(run, 'decide', approve)).toContain('give a comment: how you know that it did not happen');
  expect(paid).toEqual(['the shop']);
  await rig.say(run, 'decide', { ...approve, comment: 'the bank has no such entry' });
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(paid).toHaveLength(2);
});
