/** Language models of the AI SDK as clients: with a provider of its own against a server, and each version's parts. */

import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, test, vi } from 'vitest';
import { checkConfig, modelSettings } from '../../src/config/index.ts';
import { languageModelClient, ModelError, type LanguageModel, type ModelRequest } from '../../src/models/index.ts';
import { chatDelta, chatEvents, startModelServer, type Answer } from '../support/model-server.ts';

const KEY = 'a-key-that-nobody-may-see';
const ask = (content: string): ModelRequest => ({ messages: [{ role: 'user', content }] });
const COUNT = { name: 'count', schema: { type: 'object', properties: { genes: { type: 'integer' } } } };
const TOOLS = [{ name: 'find', description: 'Finds genes.', parameters: { type: 'object' } }];
const PRICES = { tiny: { input: 2, cachedInput: 1, output: 10 } };

async function provided(...answers: readonly Answer[]) {
  const server = await startModelServer(answers);
  vi.stubEnv('LAB_API_KEY', KEY);
  const provider = createOpenAICompatible({ name: 'lab', baseURL: server.baseURL, apiKey: KEY, includeUsage: true });
  return { server, model: provider('tiny'), client: languageModelClient(provider('tiny'), { prices: PRICES }) };
}

const failed = async (work: Promise<unknown>) =>
  (await work.then(
    () => undefined,
    (error: unknown) => error,
  )) as ModelError;

describe('a provider of the AI SDK on a server', () => {
  test('a reply comes in pieces, with its usage and its cost', async () => {
    const { client, server } = await provided({ events: chatEvents(['Good ', 'morning']) });
    const pieces: string[] = [];
    let beats = 0;
    const reply = await client.complete(
      { ...ask('hello'), temperature: 0.5, maxTokens: 9 },
      {
        onText: (piece) => pieces.push(piece),
        onBeat: () => (beats += 1),
      },
    );
    expect(reply).toMatchObject({ text: 'Good morning', finish: 'stop', toolCalls: [], usage: { calls: 1 } });
    expect(pieces.join('')).toBe('Good morning');
    expect(beats).toBeGreaterThan(1);
    const { inputTokens, outputTokens, cost } = reply.usage;
    expect(cost).toBeCloseTo((inputTokens * 2 + outputTokens * 10) / 1e6, 12);
    expect(server.asked[0]?.body).toMatchObject({ model: 'tiny', temperature: 0.5, max_tokens: 9, stream: true });
  });

  test('tool calls come, and go back with their answers', async () => {
    const call = {
      index: 0,
      id: 'call_9',
      type: 'function',
      function: { name: 'find', arguments: '{"near":"BRCA1"}' },
    };
    const { client, server } = await provided(
      { events: [chatDelta({ tool_calls: [call] }), ...chatEvents([], 'tool_calls')] },
      { events: chatEvents(['Two.']) },
    );
    const first = await client.complete({ ...ask('which'), tools: TOOLS, toolChoice: 'required' });
    expect(first).toMatchObject({
      finish: 'tool-calls',
      toolCalls: [{ id: 'call_9', name: 'find', arguments: '{"near":"BRCA1"}' }],
    });
    const { toolCalls, text } = first;
    await client.complete({
      messages: [
        { role: 'system', content: 'Be short.' },
        { role: 'user', content: 'which' },
        { role: 'assistant', content: text, toolCalls },
        { role: 'tool', content: '["BRCA1"]', toolCallId: 'call_9' },
      ],
      tools: TOOLS,
    });
    expect(server.asked[0]?.body).toMatchObject({ tool_choice: 'required', tools: [{ function: { name: 'find' } }] });
    expect(server.asked[1]?.body['messages']).toMatchObject([
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: 'which' },
      { role: 'assistant', tool_calls: [{ id: 'call_9', function: { name: 'find', arguments: '{"near":"BRCA1"}' } }] },
      { role: 'tool', tool_call_id: 'call_9', content: '["BRCA1"]' },
    ]);
  });

  test('a format is in the prompt if the model cannot be bound to a schema, and what comes is read', async () => {
    const { client, server } = await provided({ events: chatEvents(['{"genes":12}']) });
    expect(await client.complete({ ...ask('how many'), format: COUNT })).toMatchObject({ value: { genes: 12 } });
    expect(server.asked[0]?.body).toMatchObject({ response_format: { type: 'json_object' } });
    expect(JSON.stringify(server.asked[0]?.body['messages'])).toContain('keeps to this JSON Schema');
  });

  const error = (message: string, code?: string) => ({ error: { message, code } });
  test.each<[Answer, string, string, number?]>([
    [
      { status: 429, body: error('slow down', 'rate_limit_exceeded'), headers: { 'retry-after': '7' } },
      'rate-limit',
      'RETRIABLE',
      7000,
    ],
    [{ status: 402, body: error('no credit') }, 'quota', 'CRITICAL'],
    [{ status: 500, body: error('oh no') }, 'server', 'RETRIABLE'],
    [{ status: 503, body: 'a page of a proxy' }, 'server', 'RETRIABLE'],
    [{ status: 401, body: error(`no key ${KEY}`) }, 'auth', 'CRITICAL'],
    [{ status: 400, body: error('no such field') }, 'bad-request', 'CRITICAL'],
    [{ after: 'unanswered' }, 'connection', 'RETRIABLE'],
    [{ events: [chatDelta({ content: 'Goo' })], after: 'cut' }, 'cut-stream', 'RETRIABLE'],
    [{ events: [chatDelta({ content: 'Goo' }), { error: { message: 'gpu lost' } }] }, 'server', 'RETRIABLE'],
  ])('%j is a %s', async (answer, kind, severity, retryAfterMs) => {
    const { client } = await provided(answer);
    const thrown = await failed(client.complete(ask('fail')));
    expect(thrown).toBeInstanceOf(ModelError);
    expect(thrown).toMatchObject({ kind, severity });
    expect(thrown.retryAfterMs).toBe(retryAfterMs);
    expect(thrown.message).toContain('tiny of lab');
    expect(JSON.stringify(thrown) + thrown.message).not.toContain(KEY);
  });

  test('a server that is not there is a connection, for which nothing was paid', async () => {
    const server = await startModelServer([]);
    await server.close();
    const provider = createOpenAICompatible({ name: 'lab', baseURL: server.baseURL });
    const thrown = await failed(languageModelClient(provider('tiny')).complete(ask('x')));
    expect(thrown).toMatchObject({ kind: 'connection', severity: 'RETRIABLE' });
    expect(thrown.usage).toBeUndefined();
  });
});

/** A model whose stream has these parts. */
function modelOf(
  parts: readonly unknown[],
  version = 'v4',
  over: object = {},
): LanguageModel & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  const doStream = (options: unknown) => {
    asked.push(options);
    return Promise.resolve({ stream: ReadableStream.from(parts) });
  };
  return { specificationVersion: version, provider: 'lab', modelId: 'tiny', doStream, asked, ...over };
}

const V2_END = {
  type: 'finish',
  finishReason: 'stop',
  usage: { inputTokens: 30, outputTokens: 7, cachedInputTokens: 10 },
};
const V4_END = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'end' },
  usage: { inputTokens: { total: 30, cacheRead: 10 }, outputTokens: { total: 7 } },
};
const TEXT = { type: 'text-delta', id: '1', delta: 'yes' };
const endOf = (unified: string) => ({ ...V4_END, finishReason: { unified } });

describe('the parts of a stream', () => {
  test.each([
    ['v2', V2_END],
    ['v3', V4_END],
    ['v4', V4_END],
  ])('%s: text, usage, and the name of the model that answered', async (version, end) => {
    const meta = { type: 'response-metadata', modelId: 'tiny-2026' };
    const reply = await languageModelClient(
      modelOf([{ type: 'stream-start', warnings: [] }, meta, TEXT, end], version),
    ).complete(ask('x'));
    expect(reply).toEqual({
      ...{ text: 'yes', toolCalls: [], finish: 'stop', model: 'tiny-2026' },
      usage: { inputTokens: 30, cachedInputTokens: 10, outputTokens: 7, calls: 1 },
    });
  });

  test.each([
    ['length', 'length'],
    ['content-filter', 'content-filter'],
    ['other', 'stop'],
  ])('an end by %s is %s', async (unified, finish) => {
    expect(await languageModelClient(modelOf([TEXT, endOf(unified)])).complete(ask('x'))).toMatchObject({ finish });
  });

  test.each<[string, readonly unknown[], string]>([
    ['no end', [TEXT], 'cut-stream'],
    ['an end by error', [TEXT, endOf('error')], 'cut-stream'],
    ['an interrupted end', [TEXT, endOf('interrupted')], 'cut-stream'],
    ['an error that is a text', [{ type: 'error', error: 'gpu lost' }], 'server'],
    ['a text that is none', [{ ...TEXT, delta: 7 }, V4_END], 'malformed-reply'],
    ['a call without a name', [{ type: 'tool-call', toolCallId: '1', input: '{}' }, V4_END], 'malformed-reply'],
    ['more than replyBytes', [{ ...TEXT, delta: 'x'.repeat(2000) }, V4_END], 'cut-off'],
  ])('%s is an error', async (_, parts, kind) => {
    expect(await failed(languageModelClient(modelOf(parts), { replyBytes: 1000 }).complete(ask('x')))).toMatchObject({
      kind,
    });
  });

  test('parts that say nothing here are passed over, and a warning is a note, once', async () => {
    const warnings = [{ type: 'unsupported', feature: 'temperature' }];
    const client = languageModelClient(
      modelOf([{ type: 'stream-start', warnings }, { type: 'ping' }, null, 7, { type: 'source' }, TEXT, V4_END]),
    );
    const notes: string[] = [];
    for (const _ of [1, 2]) await client.complete(ask('x'), { onNote: (note) => notes.push(note) });
    expect(notes).toEqual(['tiny of lab warns: {"type":"unsupported","feature":"temperature"}']);
  });

  test('thoughts go back with the metadata that their provider needs', async () => {
    const meta = (signature: string) => ({ lab: { signature } });
    const model = modelOf([
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', delta: 'I ' },
      { type: 'reasoning-delta', id: 'r', delta: 'think' },
      { type: 'reasoning-end', id: 'r', providerMetadata: meta('s') },
      { type: 'tool-call', toolCallId: '1', toolName: 'find', input: '{}', providerMetadata: meta('c') },
      endOf('tool-calls'),
    ]);
    const client = languageModelClient(model);
    const { toolCalls, reasoning = [] } = await client.complete({ ...ask('x'), tools: TOOLS });
    await client.complete({ messages: [{ role: 'assistant', content: '', toolCalls, reasoning }], tools: TOOLS });
    expect(model.asked[1]).toMatchObject({
      prompt: [
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'I think', providerOptions: meta('s') },
            { type: 'tool-call', toolCallId: '1', toolName: 'find', input: {}, providerOptions: meta('c') },
          ],
        },
      ],
    });
  });

  const never = () => new Promise<never>(() => {});
  test.each<[string, LanguageModel]>([
    ['never answers', modelOf([], 'v4', { doStream: never })],
    [
      'falls silent',
      modelOf([], 'v4', {
        doStream: () => Promise.resolve({ stream: { [Symbol.asyncIterator]: () => ({ next: never }) } }),
      }),
    ],
  ])(
    'a model that %s and ignores the signal is left after the timeout, and if the call is cancelled',
    async (_, model) => {
      const client = languageModelClient(model, { timeout: { idleMs: 30 } });
      expect(await failed(client.complete(ask('x')))).toMatchObject({ kind: 'timeout' });
      const signal = AbortSignal.timeout(1);
      expect(await failed(languageModelClient(model).complete(ask('x'), { signal }))).toMatchObject({
        kind: 'cancelled',
      });
    },
  );

  test('a setting without a place is an error, never dropped', async () => {
    const request = { ...ask('x'), reasoningEffort: 'low' };
    const thrown = await failed(languageModelClient(modelOf([TEXT, V2_END], 'v2')).complete(request));
    expect(thrown).toMatchObject({ kind: 'bad-request', severity: 'CRITICAL' });
    expect(thrown.message).toContain('set it where the model is made');
    const model = modelOf([TEXT, V4_END]);
    await languageModelClient(model).complete(request);
    expect(model.asked[0]).toMatchObject({ reasoning: 'low' });
  });
});

describe('in a config', () => {
  test('a model object is a client, the same one each time, and takes settings of requests on top', () => {
    const model = modelOf([]);
    const config = checkConfig({ model, planner: { model: { temperature: 0.2 } } }, '/lab/planwright.config.ts');
    const chosen = modelSettings(config.model, config.planner.model);
    expect(chosen).toMatchObject({ client: { name: 'tiny' }, request: { temperature: 0.2 } });
    expect(modelSettings(config.model)?.client).toBe(chosen?.client);
    expect(() => checkConfig({ model, planner: { model: { name: 'x' } } }, '/lab/c.ts')).toThrow(
      /config.model is the client tiny/,
    );
  });

  test.each([
    [
      'an old one',
      { specificationVersion: 'v1', modelId: 'm', provider: 'p', doStream() {} },
      /config\.model: .*old specificationVersion; expected v2/,
    ],
    ['one that cannot stream', { specificationVersion: 'v4', modelId: 'm', provider: 'p' }, /config\.model: /],
    ['a name of a gateway', 'openai/gpt-5', /config\.model: /],
  ])('%s is refused', (_, model, why) => {
    expect(() => checkConfig({ model }, '/lab/planwright.config.ts')).toThrow(why);
    expect(() => languageModelClient(model as never)).toThrow(TypeError);
  });
});
