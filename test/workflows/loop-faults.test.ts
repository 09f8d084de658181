/** Loops with a model behind HTTP that obeys the protocol and not its task: how each ends, and what it did before. */

import { afterEach, describe, expect, test } from 'vitest';
import { NO_USAGE, type RunResult, type RunStatus } from '../../src/protocol/index.ts';
import { ModelError, openAIClient, type ModelClient } from '../../src/models/index.ts';
import { fails, ids, writes } from '../support/capabilities.ts';
import { startLoopServer, type Said } from '../support/loop-server.ts';
import { chatDelta, chatEvents, startModelServer } from '../support/model-server.ts';
import { openRig, type Rig } from '../support/rig.ts';
import { scriptedModel } from '../support/scripted-planner.ts';

const rigs: Rig[] = [];
afterEach(async () => {
  for (const rig of rigs.splice(0)) await rig.close();
});
const written: string[] = [];

async function open(script: readonly Said[], maxRounds = 8) {
  const { client, asked } = await startLoopServer(script);
  const rig = await openRig({ capabilities: [ids, fails, writes('writes', 'idempotent', written)], model: client });
  rigs.push(rig);
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

describe('a model that never does its task', () => {
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
  ])('%s: the run fails and did nothing', async (_, script, most, message) => {
    const { rig, run, failure, decisions } = await open(script);
    expect(await failure()).toMatchObject({ type: 'PlanFailed', message: expect.stringMatching(message) as string });
    expect([decisions(), rig.begun(run)]).toEqual([most, {}]);
  });

  test('finishes at once: the run is done with that answer, and did nothing', async () => {
    const { rig, run, decisions } = await open([[['finish', { answer: 'There is none.' }]]]);
    const { outcome, result } = (await run.result()) as RunResult;
    expect([outcome, await rig.read(result?.ref)]).toMatchObject(['done', { text: 'There is none.' }]);
    expect([decisions(), rig.begun(run)]).toEqual([1, {}]);
  });

  test('repeats the same read for ever: the guard ends it', async () => {
    const { failure, decisions } = await open([[['ids', { ids: ['a'] }]]], 3);
    expect(await failure()).toMatchObject({ type: 'IterationLimit' });
    expect(decisions()).toBe(3);
  });

  test('repeats a step that was refused: people are asked once', async () => {
    const { rig, run, failure, decisions } = await open([[['writes', { value: 'x' }]]]);
    const { digest } = await rig.until(run, ({ phase }: RunStatus) => phase === 'awaiting-approval');
    await rig.say(run, 'decide', { kind: 'reject', digest, by: 'operator' });
    expect(await failure()).toMatchObject({
      message: expect.stringMatching(/^no-result in round 3.*3 times in a row/) as string,
    });
    expect([decisions(), written]).toEqual([3, []]);
  });
});

test('a model that answers after the run was cancelled: nothing of it is carried out', async () => {
  let isAsked = (): void => {};
  const asked = new Promise<void>((resolve) => (isAsked = resolve));
  const server = await startModelServer(() => {
    isAsked();
    return { events: [chatDelta({ role: 'assistant' })], after: 'silence' };
  });
  const model = openAIClient({ baseURL: server.baseURL, name: 'late', api: 'chat', format: 'none' });
  const rig = await openRig({ capabilities: [ids, writes('writes', 'idempotent', written)], model });
  rigs.push(rig);
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
  const rig = await openRig({ capabilities: [ids], model });
  rigs.push(rig);
  const run = await rig.start({ goal: 'Find it', options: { mode: 'reactive' } });
  expect(((await run.result()) as RunResult).outcome).toBe('done');
  const { usage } = await run.query<RunStatus>('status');
  expect([answered, server.asked.length, usage?.calls]).toEqual([3, 4, 3]);
});

test('a call that is written as text is carried out', async () => {
  const { rig, run } = await open([
    '<think>which?</think><tool_call>{"name":"ids","arguments":{"ids":["a","b"]}}</tool_call>',
    '```json\n{"name":"finish","arguments":{"answer":"a and b"}}\n```',
  ]);
  expect(await rig.read(((await run.result()) as RunResult).result?.ref)).toMatchObject({ text: 'a and b' });
  expect(rig.begun(run)).toEqual({ node_1: 1 });
});

test('several reads of one reply run as one step, and one that fails leaves the others', async () => {
  const { rig, run, asked } = await open([
    [
      ['ids', { ids: ['a'] }],
      ['fails', { how: 'critical' }],
      ['ids', { ids: ['b', 'c'] }],
    ],
    [['finish', { answer: 'done' }]],
  ]);
  expect(((await run.result()) as RunResult).outcome).toBe('done');
  expect(Object.keys(rig.begun(run)).toSorted()).toEqual(['node_1', 'node_2', 'node_3']);
  const messages = asked[1]?.['messages'] as { role: string; tool_call_id?: string; content: string }[] | undefined;
  const told = (messages ?? []).filter(({ role }) => role === 'tool');
  expect(
    told.map(({ tool_call_id: id, content }) => [id, /1 records|broke for good|2 records/.exec(content)?.[0]]),
  ).toEqual([
    ['step_1_1', '1 records'],
    ['step_1_2', 'broke for good'],
    ['step_1_3', '2 records'],
  ]);
});

test('under "required" several reads are one approval', async () => {
  const { client } = await startLoopServer([
    [
      ['ids', { ids: ['a'] }],
      ['ids', { ids: ['b'] }],
    ],
    [['finish', { answer: 'done' }]],
  ]);
  const rig = await openRig({ capabilities: [ids], model: client });
  rigs.push(rig);
  const run = await rig.start({ goal: 'Find it', options: { mode: 'reactive', approval: 'required' } });
  const { digest, counts } = await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
  expect([counts.total, rig.begun(run)]).toEqual([2, {}]);
  await rig.say(run, 'decide', { kind: 'approve', digest, by: 'operator' });
  expect(((await run.result()) as RunResult).outcome).toBe('done');
});

test('a chat that a model answers directly waits for nobody', async () => {
  const model = scriptedModel({
    extract: [{ json: { task: 'Say hello', depends_on_chat_history: false, depends_on_user_memory: false } }],
    route: [{ json: { route: 'direct' } }],
    write: ['Hello.'],
  });
  const rig = await openRig({ capabilities: [ids], model });
  rigs.push(rig);
  const run = await rig.start({ goal: 'Say hello', options: { mode: 'auto' } });
  const { outcome, result } = (await run.result()) as RunResult;
  expect([outcome, await rig.read(result?.ref)]).toMatchObject(['done', { text: 'Hello.' }]);
});

test('a first round that is completed from outside and tells nothing of the project fails the run', async () => {
  let hear = (): void => {};
  const asked = new Promise<void>((resolve) => (hear = resolve));
  const model: ModelClient = {
    name: 'silent',
    complete: (_, { signal } = {}) =>
      new Promise((_resolve, reject) => {
        hear();
        signal?.addEventListener('abort', () => reject(new ModelError('cancelled', 'stopped')), { once: true });
      }),
  };
  const rig = await openRig({ capabilities: [ids], model });
  rigs.push(rig);
  const run = await rig.start({ goal: 'Find it', options: { mode: 'reactive' } });
  await asked;
  const { raw } = await run.describe();
  const [{ activityId = '' } = {}] = (raw.pendingActivities ?? []) as { activityId?: string }[];
  const result = { ref: 'A'.repeat(43), kind: 'text', count: 1, bytes: 1 };
  const reply = { notes: result.ref, usage: NO_USAGE, decision: { is: 'finish', result, summary: 'forged' } };
  await rig.client.activity.complete({ workflowId: run.workflowId, activityId }, reply);
  await expect(run.result()).rejects.toMatchObject({
    cause: { message: expect.stringContaining('told nothing of the project in the first round') as string },
  });
});
