/** The usage that servers tell, in the forms in which they write it. */

import { expect, test } from 'vitest';
import { startClient } from '../support/model-client.ts';
import { chatEvents } from '../support/model-server.ts';

/** The usage of a call whose server tells this; undefined where it is reckoned. */
async function read(told: unknown): Promise<object | undefined> {
  const { ask } = await startClient([{ events: chatEvents(['yes'], 'stop', told) }]);
  const { calls: _, reckoned, ...usage } = (await ask({ messages: [{ role: 'user', content: 'How many?' }] })).usage;
  return reckoned ? undefined : usage;
}
const plain = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5 };
const chat = { prompt_tokens: 10, completion_tokens: 5 };

test.each<[string, unknown, object | undefined]>([
  ['a count in words', { ...chat, completion_tokens: 'five' }, undefined],
  ['a count below 0', { prompt_tokens: 10, completion_tokens: -5 }, undefined],
  ['a count that no sum can hold', { prompt_tokens: 1e308, completion_tokens: 5 }, undefined],
  ['half a token', { prompt_tokens: 10, completion_tokens: 0.5 }, undefined],
  ['chat completions', { ...chat, total_tokens: 15 }, plain],
  [
    'Responses',
    { input_tokens: 10, output_tokens: 5, input_tokens_details: { cached_tokens: 4 } },
    { ...plain, cachedInputTokens: 4 },
  ],
  ['cached input', { ...chat, prompt_tokens_details: { cached_tokens: 4 } }, { ...plain, cachedInputTokens: 4 }],
  [
    'more cached than read',
    { ...chat, prompt_tokens_details: { cached_tokens: 40 } },
    { ...plain, cachedInputTokens: 10 },
  ],
  [
    'Anthropic, whose input leaves out the cache',
    { input_tokens: 3, cache_read_input_tokens: 5, cache_creation_input_tokens: 2, output_tokens: 5 },
    { ...plain, cachedInputTokens: 5 },
  ],
  ['OpenRouter', { ...chat, cost: 0.25 }, { ...plain, cost: 0.25 }],
  [
    'thoughts within the reply',
    { ...chat, total_tokens: 15, completion_tokens_details: { reasoning_tokens: 4 } },
    plain,
  ],
  [
    'thoughts beside the reply (xAI)',
    { ...chat, completion_tokens_details: { reasoning_tokens: 20 } },
    { ...plain, outputTokens: 25 },
  ],
  [
    'thoughts of Responses beside it',
    { input_tokens: 10, output_tokens: 5, output_tokens_details: { reasoning_tokens: 20 } },
    { ...plain, outputTokens: 25 },
  ],
  ['nothing', {}, undefined],
  ['half of it', { prompt_tokens: 10 }, undefined],
  [
    'nulls',
    { ...chat, prompt_tokens_details: null, completion_tokens_details: null, total_tokens: null, cost: null },
    plain,
  ],
  // Numbers that few servers tell are not read where they cannot be true.
  ['a cost below 0', { ...chat, cost: -1 }, plain],
  ['a cost in words', { ...chat, cost: '0.25' }, plain],
  ['a cost that uses up any budget', { ...chat, cost: 10_001 }, plain],
  ['a total of 1e30', { ...chat, total_tokens: 1e30 }, plain],
  ['a total below 0', { ...chat, total_tokens: -5 }, plain],
  ['thoughts of 1e30', { ...chat, completion_tokens_details: { reasoning_tokens: 1e30 } }, plain],
])('%s', async (_, told, tokens) => {
  expect(await read(told)).toEqual(tokens);
});

test('a sum is never above the most that can be counted', async () => {
  const most = 1_000_000_000;
  const told = { input_tokens: most, cache_read_input_tokens: most, output_tokens: 1 };
  expect(await read(told)).toEqual({ inputTokens: most, cachedInputTokens: most, outputTokens: 1 });
});

test('DeepSeek: cache hits are cached input', async () => {
  const told = { ...chat, prompt_cache_hit_tokens: 8, prompt_cache_miss_tokens: 2 };
  expect(await read(told)).toEqual({ ...plain, cachedInputTokens: 8 });
});

test('Gemini: thoughts in the total are output', async () => {
  expect(await read({ ...chat, total_tokens: 35 })).toEqual({ ...plain, outputTokens: 25 });
});
