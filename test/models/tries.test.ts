/** The tries of a call are counted once each, those too that were lost with their process. */

import { beforeEach, expect, test } from 'vitest';
import { journaled, ModelError, type ModelClient, type ModelReply, type ModelUsage } from '../../src/models/index.ts';
import { createFileStore, resultsIn } from '../../src/store/index.ts';
import { testFolder } from '../support/folders.ts';

let folder = '';
beforeEach(() => void (folder = testFolder('tries')));

const used = (tokens: number): ModelUsage => ({
  ...{ calls: 1, inputTokens: tokens, cachedInputTokens: 0, outputTokens: 0 },
});
const reply: ModelReply = {
  text: 'yes',
  toolCalls: [],
  finish: 'stop',
  usage: used(40),
  model: 'm',
  repairs: [],
} as never;
const request = { messages: [{ role: 'user' as const, content: 'x'.repeat(80) }] };

type Call = () => Promise<ModelReply>;
const lost: Call = () => new Promise(() => undefined);
const answers: Call = () => Promise.resolve(reply);
const refuses: Call = () => Promise.reject(new ModelError('rate-limit', 'later'));
const cuts: Call = () => Promise.reject(new ModelError('cut-stream', 'cut', { usage: used(25) }));

/** What an attempt hears of all tries. A call that never comes back is one whose process is gone. */
async function attempt(complete: Call): Promise<number> {
  const costs = new Map<string, ModelUsage>();
  const client: ModelClient = { name: 'm', complete };
  let isMade: () => void = () => undefined;
  const made = new Promise<void>((resolve) => (isMade = resolve));
  const counted: ModelClient = { ...client, complete: () => (isMade(), complete()) };
  const place = {
    key: 'run/step/1',
    store: resultsIn(createFileStore(folder), 'runs/o/c'),
    onCost: (call: string, one: ModelUsage) => costs.set(call, one),
  };
  const calling = journaled(counted, place, request).catch(() => undefined);
  await (complete === lost ? made : calling);
  return [...costs.values()].reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0);
}

test.each<[name: string, calls: readonly Call[], told: readonly number[]]>([
  ['an answer is told once, and again to whoever finds it', [answers, answers], [40, 40]],
  [
    'a call that was lost is reckoned from its request, and as dear as the answer once there is one',
    [lost, lost, answers, answers],
    [0, 20, 120, 120],
  ],
  ['a call that was refused costs nothing', [refuses, refuses, answers], [0, 0, 40]],
  ['a call that was cut costs what it has used', [cuts, answers, answers], [25, 65, 65]],
])('%s', async (_, calls, told) => {
  const heard: number[] = [];
  for (const call of calls) heard.push(await attempt(call));
  expect(heard).toEqual(told);
});

test('without a budget no try is kept', async () => {
  const store = resultsIn(createFileStore(folder), 'runs/o/c');
  await journaled({ name: 'm', complete: answers }, { key: 'k', store }, request);
  const costs: string[] = [];
  await journaled({ name: 'm', complete: answers }, { key: 'k', store, onCost: (call) => costs.push(call) }, request);
  expect(costs).toHaveLength(1);
});

test('nothing is bought, and no try is kept, without its permit; what is in the journal needs none', async () => {
  const store = resultsIn(createFileStore(folder), 'runs/o/c');
  const permit = () => Promise.reject(new Error('no'));
  const place = { key: 'k', store, permit };
  await expect(journaled({ name: 'm', complete: answers }, place, request)).rejects.toThrow('no');
  await journaled({ name: 'm', complete: answers }, { key: 'k', store }, request);
  await expect(journaled({ name: 'm', complete: answers }, place, request)).resolves.toMatchObject({ reused: true });
});
