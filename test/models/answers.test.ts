/** What a server may answer besides a good reply, byte by byte, and what is told of it. */

import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ModelError, openAIClient, type ModelRequest, type OpenAISettings } from '../../src/models/index.ts';
import {
  chatDelta,
  chatEvents,
  responseEvents,
  startModelServer,
  type Answer,
  type ModelServer,
} from '../support/model-server.ts';

type Api = OpenAISettings['api'];

const clientOf = ({ baseURL }: Pick<ModelServer, 'baseURL'>, api: Api = 'chat', more: Partial<OpenAISettings> = {}) =>
  openAIClient({ baseURL, name: 'tiny', api, format: 'json_schema', ...more });
const ASK: ModelRequest = { messages: [{ role: 'user', content: 'How many?' }] };
const COUNT = { name: 'count', schema: { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } };
const ASK_COUNT: ModelRequest = { ...ASK, format: COUNT, maxTokens: 50 };

async function failureOf(work: Promise<unknown>): Promise<ModelError> {
  const failed = await work.then(
    (reply) => new Error(`it did not fail: ${JSON.stringify(reply)}`),
    (error: unknown) => error,
  );
  expect(failed).toBeInstanceOf(ModelError);
  return failed as ModelError;
}

/** What a model wrote and how it ended, with either API. */
const ENDINGS: readonly [name: string, texts: readonly string[], chat: string, response: object][] = [
  ['cut off', ['{"n":', ' 1'], 'length', { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }],
  ['filtered', ['{"n"'], 'content_filter', { status: 'incomplete', incomplete_details: { reason: 'content_filter' } }],
  ['prose', ['There are', ' twelve.'], 'stop', {}],
  ['another shape', ['{"n":', '"twelve"}'], 'stop', {}],
  ['half of it', ['{"n":'], 'stop', {}],
  ['two keys', ['{"n":1,"n":2}'], 'stop', {}],
  ['nothing', [], 'stop', {}],
];
const TOLD: Readonly<Record<string, [kind: string, finish: string, words: RegExp]>> = {
  'cut off': ['cut-off', 'length', /cut off at maxTokens \(50\) before count was whole/],
  filtered: ['content-filter', 'content-filter', /content filter/],
  prose: ['format-not-kept', 'stop', /There is no JSON object in it\. It begins with "There are twelve\."/],
  'another shape': ['format-not-kept', 'stop', /breaks its schema: \$\.n: .*expected.*string/],
  'half of it': ['format-not-kept', 'stop', /ends at line 1, column 6 before it is complete/],
  'two keys': ['format-not-kept', 'stop', /the key "n" more than once/],
  nothing: ['format-not-kept', 'stop', /wrote no count\. It is empty\./],
};

describe.each<Api>(['chat', 'responses'])('with the api %s', (api) => {
  const answerOf = (texts: readonly string[], chat: string, response: object): Answer => ({
    events: api === 'chat' ? chatEvents(texts, chat) : responseEvents(texts, response),
  });

  test.each(ENDINGS)('a format that is not kept is an error that was paid for: %s', async (name, texts, chat, end) => {
    const server = await startModelServer([answerOf(texts, chat, end)]);
    const [kind = '', , words = /^/] = TOLD[name] ?? [];
    const failed = await failureOf(clientOf(server, api).complete(ASK_COUNT));
    expect(failed).toMatchObject({ kind, usage: { inputTokens: 10, outputTokens: 5, calls: 1 }, text: texts.join('') });
    expect(failed.message).toMatch(words);
    expect(failed.severity).not.toBe('RETRIABLE');
  });

  test.each(ENDINGS)(
    'without a format the same is a reply that says how it ended: %s',
    async (name, texts, chat, end) => {
      const server = await startModelServer([answerOf(texts, chat, end)]);
      const reply = await clientOf(server, api).complete(ASK);
      expect(reply).toMatchObject({ text: texts.join(''), finish: TOLD[name]?.[1] });
    },
  );

  test('what stands around the JSON is taken off, and told', async () => {
    const server = await startModelServer([answerOf(['Here:\n```json\n{"n": 3,}', '\n```'], 'stop', {})]);
    const { value, repairs } = await clientOf(server, api).complete(ASK_COUNT);
    expect(value).toEqual({ n: 3 });
    expect(repairs?.join(' ')).toMatch(/Text around.*property name expected/);
  });

  test('a refusal is told with its reason', async () => {
    const events =
      api === 'chat'
        ? [chatDelta({ refusal: 'I will ' }), chatDelta({ refusal: 'not.' }), ...chatEvents([])]
        : [{ type: 'response.refusal.delta', delta: 'I will not.' }, ...responseEvents([])];
    const server = await startModelServer([{ events }, { events }]);
    const heard: string[] = [];
    const onText = (piece: string) => void heard.push(piece);
    expect(await clientOf(server, api).complete(ASK, { onText })).toMatchObject({
      text: 'I will not.',
      finish: 'refusal',
    });
    expect(heard).toEqual([]);
    const failed = await failureOf(clientOf(server, api).complete(ASK_COUNT));
    expect(failed).toMatchObject({ kind: 'refusal', severity: 'CRITICAL', text: 'I will not.' });
    expect(failed.message).toContain('I will not.');
  });

  test('a server that says nothing of a cut: a reply that has used up all tokens is cut off, unless it is whole', async () => {
    const texts: readonly (readonly string[])[] = [['{"n":'], ['{"n":1}'], ['some words']];
    const server = await startModelServer(texts.map((one) => answerOf(one, 'stop', {})));
    const client = clientOf(server, api);
    expect(await failureOf(client.complete({ ...ASK_COUNT, maxTokens: 5 }))).toMatchObject({ kind: 'cut-off' });
    expect(await client.complete({ ...ASK_COUNT, maxTokens: 5 })).toMatchObject({ value: { n: 1 }, finish: 'stop' });
    expect(await client.complete({ ...ASK, maxTokens: 5 })).toMatchObject({ finish: 'length' });
  });

  test('a connection that breaks in the middle of the answer is told as such, and was paid for', async () => {
    const events = answerOf(['{"n"'], 'stop', {}).events?.slice(0, api === 'chat' ? 1 : 2) ?? [];
    const server = await startModelServer([{ events, after: 'silence' }]);
    const failed = await failureOf(clientOf(server, api).complete(ASK, { onText: () => server.cut() }));
    expect(failed).toMatchObject({ kind: 'cut-stream', severity: 'RETRIABLE', usage: { calls: 1, reckoned: true } });
  });

  test('an answer that ends without a word about it is not whole', async () => {
    const events = answerOf(['{"n":1}'], 'stop', {}).events?.slice(0, api === 'chat' ? 1 : 2) ?? [];
    const server = await startModelServer([{ events }]);
    expect(await failureOf(clientOf(server, api).complete(ASK))).toMatchObject({ kind: 'cut-stream' });
  });

  test('a server that falls silent is given up, and so is one that never ends', async () => {
    const server = await startModelServer([
      { events: [], after: 'silence' },
      { events: [], after: 'silence' },
    ]);
    const idle = await failureOf(clientOf(server, api, { timeout: { idleMs: 50 } }).complete(ASK));
    expect(idle).toMatchObject({ kind: 'timeout', severity: 'RETRIABLE' });
    expect(idle.message).toContain('has said nothing for 50 ms');
    const total = await failureOf(clientOf(server, api, { timeout: { totalMs: 60 } }).complete(ASK));
    expect(total).toMatchObject({ kind: 'timeout' });
    expect(total.message).toContain('has not finished within 60 ms');
  });

  test('a call that is not wanted any more ends at once', async () => {
    const events = answerOf(['{"n"'], 'stop', {}).events?.slice(0, api === 'chat' ? 1 : 2) ?? [];
    const server = await startModelServer([{ events, after: 'silence' }]);
    const stop = new AbortController();
    const options = { signal: stop.signal, onText: () => stop.abort() };
    expect(await failureOf(clientOf(server, api).complete(ASK, options))).toMatchObject({ kind: 'cancelled' });
    expect(await failureOf(clientOf(server, api).complete(ASK, options))).toMatchObject({ kind: 'cancelled' });
    expect(server.asked).toHaveLength(1);
  });

  test('a redirect is not followed: the prompt goes nowhere else', async () => {
    const elsewhere = await startModelServer([]);
    const server = await startModelServer([{ status: 307, headers: { location: elsewhere.baseURL } }]);
    expect(await failureOf(clientOf(server, api).complete(ASK))).toMatchObject({ kind: 'bad-request' });
    expect(elsewhere.asked).toEqual([]);
  });

  test('a server that is not there cannot be reached', async () => {
    const gone = await startModelServer([]);
    await gone.close();
    const failed = await failureOf(clientOf(gone, api).complete(ASK));
    expect(failed).toMatchObject({ kind: 'connection', severity: 'RETRIABLE' });
    expect(failed.message).toMatch(/^tiny at http:\/\/127\.0\.0\.1:\d+\/v1 cannot be reached: .*ECONNREFUSED/);
  });

  test('a server that counts nothing: the usage is reckoned, and says so', async () => {
    const events =
      api === 'chat' ? chatEvents(['four', 'more'], 'stop', null) : responseEvents(['fourmore'], { usage: null });
    const server = await startModelServer([{ events }]);
    const { usage } = await clientOf(server, api).complete(ASK);
    expect(usage).toEqual({ inputTokens: 3, cachedInputTokens: 0, outputTokens: 2, calls: 1, reckoned: true });
  });
});

test('errors in the middle of a stream are told by their codes', async () => {
  const told = async (api: Api, event: unknown) =>
    (await failureOf(clientOf(await startModelServer([{ events: [event] }]), api).complete(ASK))).kind;
  expect(await told('chat', { error: { code: 'insufficient_quota', message: 'none left' } })).toBe('quota');
  expect(await told('chat', { error: { code: 400, message: 'the context length is too small' } })).toBe(
    'context-too-long',
  );
  expect(await told('chat', { error: { message: 'boom' } })).toBe('server');
  expect(await told('chat', { object: 'error', message: 'boom', type: 'InternalServerError', code: 500 })).toBe(
    'server',
  );
  expect(await told('chat', 'event: error\ndata: {"detail":"boom"}\n\ndata: [DONE]\n\n')).toBe('server');
  expect(await told('responses', { type: 'error', code: 'rate_limit_exceeded', message: 'wait' })).toBe('rate-limit');
  const failed = { error: { code: 'server_error', message: 'boom' } };
  expect(await told('responses', { type: 'response.failed', response: failed })).toBe('server');
});

test('half an event at the end of a stream is a cut, and a whole one that is no JSON no reply', async () => {
  const half = 'data: {"choices": [{"del';
  const server = await startModelServer([{ events: [half] }, { events: [`${half}\n\n`] }]);
  expect(await failureOf(clientOf(server).complete(ASK))).toMatchObject({ kind: 'cut-stream' });
  expect(await failureOf(clientOf(server).complete(ASK))).toMatchObject({
    kind: 'malformed-reply',
    usage: { calls: 1 },
  });
});

test('a tool call in pieces is put together, and one without an id gets one', async () => {
  const piece = (index: number, call: object) => chatDelta({ tool_calls: [{ index, ...call }] });
  const server = await startModelServer([
    {
      events: [
        piece(0, { id: 'a', function: { name: 'find', arguments: '{"x"' } }),
        piece(1, { function: { name: 'stop', arguments: '{}' } }),
        piece(0, { function: { arguments: ':1}' } }),
        ...chatEvents([]),
      ],
    },
  ]);
  expect(await clientOf(server).complete(ASK)).toMatchObject({
    finish: 'tool-calls',
    toolCalls: [
      { id: 'a', name: 'find', arguments: '{"x":1}' },
      { id: 'call_2', name: 'stop', arguments: '{}' },
    ],
  });
});

test('silence is counted from the last piece', async () => {
  // Only the timers of a call: sockets need none.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const server = await startModelServer([{ events: chatEvents(['a'], null), after: 'silence' }]);
  const later = [chatEvents(['b'], null), chatEvents(['c'], null), chatEvents(['d'])];
  const reply = await clientOf(server, 'chat', { timeout: { idleMs: 1000 } }).complete(ASK, {
    onText() {
      vi.advanceTimersByTime(600);
      const events = later.shift();
      if (events !== undefined) server.say(events, later.length === 0 ? 'end' : 'silence');
    },
  });
  expect(reply.text).toBe('abcd');
});
