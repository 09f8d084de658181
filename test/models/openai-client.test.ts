/** The client against a mock of OpenAI's server: whole answers, with both APIs and every format that a server may keep. */

import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MODEL_APIS, MODEL_FORMATS } from '../../src/protocol/index.ts';
import { openAIClient, type ModelRequest } from '../../src/models/index.ts';

const mock = new LLMock({ port: 0, strict: true, chunkSize: 7 });
beforeAll(() => mock.start());
afterAll(() => mock.stop());
beforeEach(() => void mock.reset());

const KEY = 'sk-test-0123456789abcdef';
const clientOf = (api: 'chat' | 'responses', format: (typeof MODEL_FORMATS)[number] = 'json_schema') =>
  openAIClient({ baseURL: `${mock.url}/v1`, apiKey: KEY, name: 'tiny', api, format, prices: { tiny: PRICE } });
const PRICE = { input: 2, cachedInput: 1, output: 10 };
const ask = (content: string): ModelRequest => ({ messages: [{ role: 'user', content }] });
const COUNT = {
  name: 'count',
  schema: {
    type: 'object',
    properties: { genes: { type: 'integer' } },
    required: ['genes'],
    additionalProperties: false,
  },
};

describe.each(MODEL_APIS)('with the api %s', (api) => {
  const tokens = api === 'chat' ? { prompt_tokens: 30, completion_tokens: 7 } : { input_tokens: 30, output_tokens: 7 };

  test('a plain reply comes in pieces, with its usage and its cost', async () => {
    mock.onMessage('hello', { content: 'Good morning to you', usage: tokens });
    const pieces: string[] = [];
    let beats = 0;
    const reply = await clientOf(api).complete(ask('hello'), {
      onText: (piece) => pieces.push(piece),
      onBeat: () => beats++,
    });
    expect(reply).toEqual({
      text: 'Good morning to you',
      toolCalls: [],
      finish: 'stop',
      usage: { inputTokens: 30, cachedInputTokens: 0, outputTokens: 7, calls: 1, cost: (30 * 2 + 7 * 10) / 1e6 },
      model: 'tiny',
    });
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe(reply.text);
    expect(beats).toBeGreaterThan(0);
    expect(mock.getRequests()).toHaveLength(1);
  });

  test('tool calls come with what the model wrote', async () => {
    mock.onMessage('which', { toolCalls: [{ name: 'find_genes', arguments: '{"near":"BRCA1"}', id: 'call_9' }] });
    const tools = [{ name: 'find_genes', description: 'Genes near one.', parameters: { type: 'object' } }];
    const reply = await clientOf(api).complete({ ...ask('which'), tools, format: COUNT });
    expect(reply).toMatchObject({ finish: 'tool-calls', toolCalls: [{ name: 'find_genes' }] });
    expect(reply.toolCalls[0]).toEqual({ id: 'call_9', name: 'find_genes', arguments: '{"near":"BRCA1"}' });
    expect('value' in reply).toBe(false);
  });

  test.each(MODEL_FORMATS)('a format is asked for as %s, and what comes is read', async (format) => {
    mock.onMessage('how many', { content: '{"genes":12}', usage: tokens });
    const reply = await clientOf(api, format).complete({ ...ask('how many'), format: COUNT });
    expect(reply).toMatchObject({ value: { genes: 12 }, finish: 'stop' });
    expect('repairs' in reply).toBe(false);
  });

  test.each([
    ['rate limit', 429, { message: 'slow down', code: 'rate_limit_exceeded' }, 'rate-limit', 'RETRIABLE', 7000],
    ['quota', 429, { message: 'no credit', code: 'insufficient_quota' }, 'quota', 'CRITICAL', 7000],
    ['server', 500, { message: 'oh no', type: 'server_error' }, 'server', 'RETRIABLE', undefined],
    ['auth', 401, { message: 'wrong key', code: 'invalid_api_key' }, 'auth', 'CRITICAL', undefined],
    ['bad request', 400, { message: 'no such field' }, 'bad-request', 'CRITICAL', undefined],
  ])('an error of the server is told: %s', async (_, status, error, kind, severity, retryAfterMs) => {
    mock.onMessage('fail', { error, status, retryAfter: 7 });
    const failed = clientOf(api).complete(ask('fail'));
    await expect(failed).rejects.toMatchObject({ name: 'ModelError', kind, severity });
    await expect(failed).rejects.toThrow(error.message);
    expect(((await failed.catch((one: unknown) => one)) as { retryAfterMs?: number }).retryAfterMs).toBe(retryAfterMs);
    // Retries are counted in one place, which is not here.
    expect(mock.getRequests()).toHaveLength(1);
  });

  test('a stream that the server cuts is told as such', async () => {
    mock.onMessage('long', { content: 'one two three four five six seven' }, { truncateAfterChunks: 2, latency: 20 });
    await expect(clientOf(api).complete(ask('long'))).rejects.toMatchObject({
      kind: 'cut-stream',
      severity: 'RETRIABLE',
    });
  });

  test('a question that the mock does not know is not taken for an answer', async () => {
    await expect(clientOf(api).complete(ask('unheard of'))).rejects.toMatchObject({ kind: 'server' });
  });
});
