/** A server that teaches, changes its mind, lies or drops the line, over HTTP. */

import { describe, expect, test } from 'vitest';
import { journaled, type ModelRequest } from '../../src/models/index.ts';
import { createFileStore, resultsIn } from '../../src/store/index.ts';
import { chatDelta, chatEvents, responseEvents, type Answer, type Asked } from '../support/model-server.ts';
import { startClient as start } from '../support/model-client.ts';
import { fileFolder } from '../support/folders.ts';

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };
const ASK: ModelRequest = { messages: [{ role: 'user', content: 'How many?' }], temperature: 0, maxTokens: 9 };
const GOOD: Answer = { events: chatEvents(['{"n":1}']) };
const refusing = (member: string): Answer => ({
  status: 400,
  body: { error: { message: `Unsupported parameter: '${member}'`, param: member } },
});

describe('a lesson', () => {
  test('is told once, with what the server said no to and the line for the config', async () => {
    const { ask, notes, server } = await start(({ body }) => ('temperature' in body ? refusing('temperature') : GOOD));
    await ask(ASK);
    await ask(ASK);
    expect(notes).toEqual([
      `tiny at ${server.baseURL} does not take temperature, and is asked otherwise from now on. To begin so, add to the model in the config: omit: ['temperature']`,
    ]);
    expect(server.asked.map(({ body }) => 'temperature' in body)).toEqual([true, false, false]);
  });

  test('without a listener is a warning of the process', async () => {
    const { client } = await start(({ body }) => ('temperature' in body ? refusing('temperature') : GOOD));
    const warned = new Promise<Error>((resolve) => void process.once('warning', resolve));
    await client.complete(ASK);
    expect(await warned).toMatchObject({
      name: 'PlanwrightModel',
      message: expect.stringContaining('temperature') as string,
    });
  });

  test('is not kept where the server refuses the request all the same', async () => {
    let refused = 0;
    const { failing, ask, notes, server } = await start(() => {
      if (refused >= 2) return GOOD;
      return refusing(['temperature', 'messages'][refused++]!);
    });
    expect(await failing(ASK)).toMatchObject({ kind: 'bad-request', usage: undefined });
    await ask(ASK);
    expect(server.asked.at(-1)?.body).toHaveProperty('temperature');
    expect(notes).toEqual([]);
  });

  test('is learnt by calls at once, and told by one of them', async () => {
    const { ask, notes, server } = await start(({ body }) =>
      'temperature' in body ? refusing('temperature') : 'max_tokens' in body ? refusing('max_tokens') : GOOD,
    );
    await Promise.all(Array.from({ length: 8 }, () => ask(ASK)));
    expect(notes).toHaveLength(1);
    expect(server.asked).toHaveLength(24);
    await ask(ASK);
    expect(server.asked).toHaveLength(25);
  });

  test('comes in mid-run where a server changes its personality', async () => {
    const refusals: Readonly<Record<number, string>> = { 2: 'temperature', 5: 'max_tokens' };
    const { ask, notes, server } = await start(({ body }) => {
      const member = refusals[server.asked.length];
      return member !== undefined && member in body ? refusing(member) : GOOD;
    });
    for (let round = 0; round < 5; round++) await ask(ASK);
    expect(server.asked).toHaveLength(7);
    expect(notes.map((note) => note.split(': ').at(-2))).toEqual([
      expect.stringContaining('omit'),
      expect.stringContaining('tokensName'),
    ]);
  });
});

describe('a refusal names the member', () => {
  const FULL: ModelRequest = {
    ...{ ...ASK, reasoningEffort: 'low', parallelToolCalls: true, toolChoice: 'auto' },
    tools: [{ name: 'find', description: 'Finds.', parameters: { ...schema, properties: { strict: {}, n: {} } } }],
  };
  const COUNT: ModelRequest = { ...ASK, format: { name: 'count', schema } };
  const openai = (message: string, param: string | null = null) => ({ error: { message, param, code: null } });
  /** The lines of the config after one refusal in these words; undefined where it is an error at once. */
  async function lineOf(says: unknown, { status = 400, request = FULL } = {}): Promise<string | undefined> {
    let refused = false;
    const { client, server } = await start(
      () => {
        if (refused) return GOOD;
        refused = true;
        return { status, body: says };
      },
      { extraBody: { seed: 1, top_p: 1 } },
    );
    const notes: string[] = [];
    await client.complete(request, { onNote: (note) => notes.push(note) }).catch(() => undefined);
    expect(server.asked).toHaveLength(notes.length + 1);
    return notes[0]?.split('in the config: ')[1];
  }

  test('OpenAI: max_completion_tokens in the place of max_tokens', async () => {
    const says = openai("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", 'max_tokens');
    expect(await lineOf(says)).toBe("tokensName: 'max_completion_tokens'");
  });

  test('OpenAI: unsupported parameters are named by param, whatever the sentence names', async () => {
    for (const param of ['temperature', 'reasoning_effort', 'seed', 'tool_choice', 'parallel_tool_calls'])
      expect(await lineOf(openai('Some words about max_tokens.', param))).toBe(`omit: ['${param}']`);
    const strict = openai('Some words.', 'response_format.json_schema.strict');
    expect(await lineOf(strict, { request: COUNT })).toBe("omit: ['strict']");
  });

  test('Azure OpenAI: api-version and api-key beside, an argument that is not known is named in words', async () => {
    const says = openai('Unrecognized request argument supplied: stream_options');
    expect(await lineOf(says)).toBe("omit: ['stream_options']");
  });

  test('Anthropic: temperature is refused in words', async () => {
    const error = { type: 'invalid_request_error', message: '`temperature` is deprecated for this model.' };
    expect(await lineOf({ type: 'error', error })).toBe("omit: ['temperature']");
  });

  test('DeepSeek: JSON mode follows where a schema is refused', async () => {
    const says = openai('This response_format type is unavailable now');
    const request = { ...COUNT, format: { name: 'count', schema: { type: 'object' } } };
    expect(await lineOf(says, { request })).toBe("format: 'json_object'");
  });

  test('FastAPI: detail is a text or a list', async () => {
    expect(await lineOf({ detail: 'seed is not supported' }, { status: 422 })).toBe("omit: ['seed']");
    const detail = [{ loc: ['body', 'top_p'], msg: 'Extra inputs are not permitted' }];
    expect(await lineOf({ detail }, { status: 422 })).toBe("omit: ['top_p']");
  });

  test.each<[string, unknown, number?]>([
    ['messages', openai("messages[0].content: 'temperature' has the wrong type", 'messages[0].content')],
    ['the model', openai('The model m does not exist or has no tool_choice', 'model')],
    ['tools', openai('Invalid schema: temperature is no type', 'tools[0].function.parameters')],
    ['messages, by place', { detail: [{ loc: ['body', 'messages', 0], msg: 'temperature is missing' }] }],
    ['nobody', openai('Invalid request')],
    ['a member of no request', openai("Unknown parameter: 'logit_bias'", 'logit_bias')],
    ['a member that was not sent', openai('include is wrong', 'include')],
    ...[401, 404, 413, 429, 500].map(
      (status) => [`a ${status}`, openai('temperature'), status] as [string, unknown, number],
    ),
  ])('and nothing is learnt from a refusal of %s', async (_, says, status = 400) => {
    expect(await lineOf(says, { status })).toBeUndefined();
  });
});

test.each(['messages', 'model', 'tools', 'stream'])(
  'a refusal of %s is an error at once: nothing is taken out',
  async (member) => {
    const { failing, server } = await start(() => refusing(member));
    expect(await failing(ASK)).toMatchObject({
      kind: 'bad-request',
      message: expect.stringContaining(member) as string,
    });
    expect(server.asked).toHaveLength(1);
  },
);

test('a server that names members for ever is asked 13 times at most, and keeps the question', async () => {
  const names = [
    'temperature',
    'top_p',
    'seed',
    'stream_options',
    'parallel_tool_calls',
    'tool_choice',
    'reasoning_effort',
  ];
  const all = [...names, 'response_format', 'max_tokens', 'max_completion_tokens'];
  const { failing, server } = await start(({ body }) => refusing(all.find((name) => name in body) ?? 'messages'), {
    extraBody: { top_p: 1, seed: 1 },
  });
  const tools = [{ name: 'find', description: 'Finds.', parameters: schema }];
  const request: ModelRequest = { ...ASK, tools, toolChoice: 'auto', parallelToolCalls: true, reasoningEffort: 'low' };
  await failing({ ...request, format: { name: 'count', schema } });
  expect(server.asked.length).toBeLessThanOrEqual(13);
  for (const { body } of server.asked) {
    expect(body['messages']).toEqual(expect.arrayContaining([{ role: 'user', content: 'How many?' }]));
    expect(body['tools']).toHaveLength(1);
    expect(Object.keys(body).filter((name) => name.startsWith('max_'))).toHaveLength(1);
  }
});

describe('the journal', () => {
  const store = resultsIn(createFileStore(fileFolder('personality')), 'runs/o/c');

  test('has the request as it was before the personality: what was learnt since changes no key', async () => {
    const kind = ({ body }: Asked) => ('temperature' in body ? refusing('temperature') : GOOD);
    const first = await start(kind);
    const place = { key: 'run/1', store };
    const bought = await journaled(first.client, place, ASK, { onNote: () => undefined });
    expect(bought.reused).toBe(false);
    // Another process, whose config has the line.
    const second = await start(kind, { omit: ['temperature'], headers: { 'x-tenant': 'b' } });
    expect(await journaled(second.client, place, ASK)).toMatchObject({ reused: true, text: bought.text });
    expect(second.server.asked).toEqual([]);
  });

  test('has the thoughts of a reply', async () => {
    const thought = { type: 'reasoning', id: 'rs_1', encrypted_content: 'c2VhbGVk' };
    const { client } = await start([{ events: responseEvents(['yes'], {}, [thought]) }], { api: 'responses' });
    const place = { key: 'run/3', store };
    const bought = await journaled(client, place, ASK);
    expect(bought).toMatchObject({ reused: false, reasoning: [thought] });
    expect(await journaled(client, place, ASK)).toEqual({ ...bought, reused: true });
  });

  test('has no call that was lost: it was paid for, and is asked again', async () => {
    const { client, server } = await start([{ events: chatEvents(['half'], null), after: 'cut' }, GOOD]);
    const place = { key: 'run/2', store };
    await expect(journaled(client, place, ASK)).rejects.toMatchObject({
      kind: 'cut-stream',
      usage: { calls: 1, reckoned: true },
    });
    expect(await journaled(client, place, ASK)).toMatchObject({ reused: false, text: '{"n":1}' });
    expect(server.asked).toHaveLength(2);
  });
});

describe('a call that is lost or cut was bought', () => {
  const reckoned = (outputTokens: number) => ({ calls: 1, inputTokens: 3, outputTokens, reckoned: true });

  test.each<[string, Answer, string, object | undefined]>([
    ['before an answer', { after: 'unanswered' }, 'connection', reckoned(0)],
    ['within it', { events: chatEvents(['four four'], null), after: 'cut' }, 'cut-stream', reckoned(3)],
    ['at its end', { events: chatEvents(['four four'], null) }, 'cut-stream', reckoned(3)],
    [
      'by an error within it',
      { events: [chatDelta({ content: 'four' }), { error: { message: 'boom' } }] },
      'server',
      reckoned(1),
    ],
    [
      'by an ending of its own',
      { events: chatEvents(['four'], 'error') },
      'cut-stream',
      { calls: 1, inputTokens: 10, outputTokens: 5 },
    ],
    ['by nobody: it was refused', refusing('messages'), 'bad-request', undefined],
    ['by nobody: the server is overloaded', { status: 503, body: {} }, 'server', undefined],
  ])('%s', async (_, answer, kind, usage) => {
    const { failing } = await start([answer]);
    const failed = await failing(ASK);
    expect(failed.kind).toBe(kind);
    if (usage === undefined) expect(failed.usage).toBeUndefined();
    else expect(failed.usage).toMatchObject(usage);
  });

  test('where it is cancelled or too late', async () => {
    const silent = () => ({ events: chatEvents(['four'], null), after: 'silence' }) as const;
    const late = await start(silent, { timeout: { idleMs: 50 } });
    // A busy machine may have heard nothing by then.
    let heard = 0;
    const failed = late.client.complete(ASK, { onText: () => (heard = 1) });
    await expect(failed).rejects.toMatchObject({ kind: 'timeout' });
    await expect(failed).rejects.toMatchObject({ usage: reckoned(heard) });
    const { client } = await start(silent);
    const stop = new AbortController();
    const cancelled = client.complete(ASK, { signal: stop.signal, onText: () => stop.abort() });
    await expect(cancelled).rejects.toMatchObject({ kind: 'cancelled', usage: reckoned(1) });
    await expect(client.complete(ASK, { signal: stop.signal })).rejects.toMatchObject({ usage: undefined });
  });

  test('but not where the server is not there', async () => {
    const { server, failing } = await start([]);
    await server.close();
    expect(await failing(ASK)).toMatchObject({ kind: 'connection', usage: undefined });
  });
});

describe('hostile', () => {
  const MIB = 1024 * 1024;

  test('50 MB, in pieces or in one, are cut off at replyBytes', async () => {
    const pieces = { events: Array.from({ length: 50 }, () => chatDelta({ content: 'x'.repeat(MIB) })) };
    const one = { body: { choices: [{ message: { content: 'x'.repeat(50 * MIB) } }] } };
    const { failing } = await start([pieces, one], { replyBytes: MIB });
    expect(await failing(ASK)).toMatchObject({ kind: 'cut-off' });
    expect(await failing(ASK)).toMatchObject({ kind: 'cut-off' });
  });

  test('half characters make a reply that can be sent again', async () => {
    const half = '"\\ud83e"';
    const piece = (content: string) => `data: {"choices":[{"delta":{"content":${content}}}]}\n\n`;
    const called = chatDelta({ tool_calls: [{ index: 0, id: 'a', function: { name: 'find', arguments: '\ud83e' } }] });
    const { ask } = await start([
      { events: [piece(half), piece('"\\uddec"'), piece(half), called, ...chatEvents([])] },
      GOOD,
    ]);
    const { text, toolCalls } = await ask(ASK);
    expect(text).toBe('🧬\ufffd');
    await ask({ messages: [{ role: 'assistant', content: text, toolCalls }, ...ASK.messages] });
  });

  test.each(['chat', 'responses'] as const)(
    'a server that lies about its usage: 0 tokens of all are none, and are reckoned: %s',
    async (api) => {
      const usage = { input_tokens: 0, output_tokens: 0 };
      const told = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };
      const events =
        api === 'chat' ? chatEvents(['four four'], 'stop', told) : responseEvents(['four four'], { usage });
      const { ask } = await start([{ events }], { api });
      expect((await ask(ASK)).usage).toMatchObject({ calls: 1, inputTokens: 3, outputTokens: 3, reckoned: true });
    },
  );
});

test('secrets of headers and of the query are in no error, and go with each request', async () => {
  const [header, query] = ['azure-secret-0123', 'gateway-secret-4567'];
  const echo = ({ path, headers }: Asked): Answer => ({
    status: 500,
    body: { error: { message: `${path} ${JSON.stringify(headers)}` } },
  });
  const { failing, server } = await start(echo, {
    headers: { 'api-key': { secret: header }, 'x-token': query, 'x-title': 'a plain title' },
    query: { 'subscription-key': query, 'api-version': '2024-10-21' },
  });
  const { message } = await failing(ASK);
  expect(message).not.toContain(header);
  expect(message).not.toContain(query);
  expect(message).toContain('api-version=2024-10-21');
  expect(server.asked[0]).toMatchObject({ headers: { 'api-key': header, 'x-title': 'a plain title' } });
});
