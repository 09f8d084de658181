/** What a server is sent: the body of a request with both APIs, and the headers. */

import { afterEach, describe, expect, test, vi } from 'vitest';
import { openAIClient, type ModelRequest, type OpenAISettings } from '../../src/models/index.ts';
import { isStrict } from '../../src/models/judge.ts';
import { chatEvents, responseEvents, startModelServer } from '../support/model-server.ts';

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'], additionalProperties: false };
const open = { type: 'object', properties: { n: { type: 'integer' } } };
const REQUEST: ModelRequest = {
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'How many?' },
    { role: 'assistant', content: '', toolCalls: [{ id: 'a', name: 'find', arguments: '{}' }] },
    { role: 'tool', content: '12', toolCallId: 'a' },
  ],
  tools: [{ name: 'find', description: 'Finds.', parameters: open }],
  format: { name: 'count', schema },
  maxTokens: 100,
  temperature: 0,
};
const BARE: ModelRequest = { messages: [{ role: 'user', content: 'How many?' }] };

async function sent(request: ModelRequest, settings: Pick<OpenAISettings, 'api' | 'format'> & Partial<OpenAISettings>) {
  const events = settings.api === 'chat' ? chatEvents(['{"n":1}']) : responseEvents(['{"n":1}']);
  const server = await startModelServer([{ events }]);
  await openAIClient({ baseURL: server.baseURL, name: 'tiny', ...settings }).complete(request);
  return server.asked[0]!;
}

test('chat completions', async () => {
  const { path, body } = await sent(REQUEST, { api: 'chat', format: 'json_schema' });
  expect(path).toBe('/v1/chat/completions');
  expect(body).toEqual({
    model: 'tiny',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'How many?' },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'find', arguments: '{}' } }],
      },
      { role: 'tool', content: '12', tool_call_id: 'a' },
    ],
    stream: true,
    stream_options: { include_usage: true },
    response_format: { type: 'json_schema', json_schema: { name: 'count', schema, strict: true } },
    tools: [{ type: 'function', function: { name: 'find', description: 'Finds.', parameters: open } }],
    max_tokens: 100,
    temperature: 0,
  });
});

test('responses, which the server is not to store', async () => {
  const { path, body } = await sent(REQUEST, { api: 'responses', format: 'json_schema' });
  expect(path).toBe('/v1/responses');
  expect(body).toEqual({
    model: 'tiny',
    input: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'How many?' },
      { type: 'function_call', call_id: 'a', name: 'find', arguments: '{}' },
      { type: 'function_call_output', call_id: 'a', output: '12' },
    ],
    stream: true,
    store: false,
    text: { format: { type: 'json_schema', name: 'count', schema, strict: true } },
    tools: [{ type: 'function', name: 'find', description: 'Finds.', parameters: open, strict: false }],
    max_output_tokens: 100,
    temperature: 0,
  });
});

test.each(['chat', 'responses'] as const)('what is not asked for is not sent: %s', async (api) => {
  const { body } = await sent(BARE, { api, format: 'json_schema' });
  const always =
    api === 'chat' ? ['messages', 'model', 'stream', 'stream_options'] : ['input', 'model', 'store', 'stream'];
  expect(Object.keys(body).toSorted()).toEqual(always);
});

describe.each(['chat', 'responses'] as const)('a weaker server reads the schema in the prompt: %s', (api) => {
  test.each<[OpenAISettings['format'], unknown]>([
    ['json_object', { type: 'json_object' }],
    ['none', undefined],
  ])('%s', async (format, told) => {
    const { body } = await sent({ ...BARE, format: { name: 'count', schema } }, { api, format });
    const messages = (body['messages'] ?? body['input']) as { role: string; content: string }[];
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(messages[0]?.content).toContain(JSON.stringify(schema));
    const asked = api === 'chat' ? body['response_format'] : (body['text'] as { format: unknown } | undefined)?.format;
    expect(asked).toEqual(told);
  });

  test('behind the words of the first system message, where there is one', async () => {
    const { body } = await sent(REQUEST, { api, format: 'none' });
    const [first] = (body['messages'] ?? body['input']) as { role: string; content: string }[];
    expect(first?.content).toMatch(/^Be brief\.\n\nAnswer with one JSON value/);
  });
});

test('the key is sent as a bearer, and nothing where there is none', async () => {
  const apiKey = 'sk-0123456789abcdef';
  expect((await sent(BARE, { api: 'chat', format: 'none', apiKey })).headers.authorization).toBe(`Bearer ${apiKey}`);
  expect((await sent(BARE, { api: 'chat', format: 'none' })).headers).not.toHaveProperty('authorization');
});

test.each<[name: string, schema: object, strict: boolean]>([
  ['a closed object', schema, true],
  ['an open object', { ...schema, additionalProperties: true }, false],
  ['a member that may be missing', { ...schema, required: [] }, false],
  ['an object inside that is open', { ...schema, properties: { n: { type: 'object' } } }, false],
  ['a list of open objects', { ...schema, properties: { n: { type: 'array', items: open } } }, false],
  ['a choice with an open object', { ...schema, properties: { n: { anyOf: [open, { type: 'null' }] } } }, false],
  ['a definition that is open', { ...schema, $defs: { one: open } }, false],
  ['a reference to itself', { ...schema, properties: { n: { $ref: '#' } } }, true],
  [
    'a member with the name of a keyword',
    { ...schema, properties: { not: { type: 'null' } }, required: ['not'] },
    true,
  ],
  ['oneOf', { ...schema, properties: { n: { oneOf: [{ type: 'null' }] } } }, false],
])('whether OpenAI takes a schema as strict: %s', (_, one, strict) => {
  expect(isStrict(one)).toBe(strict);
});

describe('the address', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test.each(['chat', 'responses'] as const)(
    "is OpenAI's own where none is set, whatever OPENAI_BASE_URL says: the key goes nowhere else (%s)",
    async (api) => {
      vi.stubEnv('OPENAI_BASE_URL', 'http://127.0.0.1:1/v1');
      const asked: string[] = [];
      vi.stubGlobal('fetch', (input: string | URL | Request) => {
        asked.push(input instanceof Request ? input.url : String(input));
        return Promise.reject(new TypeError('the double of a network refuses'));
      });
      const model = openAIClient({ name: 'tiny', api, format: 'none', apiKey: 'sk-of-somebody' });
      await expect(model.complete(BARE)).rejects.toThrow(/api\.openai\.com/);
      expect(asked.map((one) => new URL(one).origin)).toEqual(['https://api.openai.com']);
    },
  );
});
