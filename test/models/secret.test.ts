/** The key of a server is in no error and in no reply, whoever says it. */

import { inspect } from 'node:util';
import { expect, test, vi } from 'vitest';
import fc from 'fast-check';
import { openAIClient, type ModelRequest } from '../../src/models/index.ts';
import { createSecret } from '../../src/models/secret.ts';
import { chatDelta, chatEvents, responseEvents, startModelServer, type Answer } from '../support/model-server.ts';

const KEY = 'sk-proj-Zm9v/QUJD+x0123456789';
const ASK: ModelRequest = { messages: [{ role: 'user', content: 'How many?' }] };
const FORMAT = { name: 'count', schema: { type: 'object' } };

/** Everything that an error says, to whoever looks: its members, its stack, its causes, as JSON. */
function allOf(error: unknown): string {
  const members = Object.entries(Object.getOwnPropertyDescriptors(error as object)).map(([, { value }]) =>
    String(value),
  );
  return [inspect(error, { depth: 20, showHidden: true }), JSON.stringify(error), ...members].join('\n');
}

function expectHidden(said: string): void {
  for (const form of [KEY, encodeURIComponent(KEY), Buffer.from(KEY).toString('base64')])
    expect(said).not.toContain(form);
}

const echo = `you sent Authorization: Bearer ${KEY} (${encodeURIComponent(KEY)})`;
const ERRORS: readonly [name: string, api: 'chat' | 'responses', answer: Answer][] = [
  ...[400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 502, 503].map((status): [string, 'chat', Answer] => [
    `${status}`,
    'chat',
    { status, body: { error: { message: echo, code: echo } } },
  ]),
  ['a page', 'chat', { status: 500, body: `<pre>${echo}</pre>` }],
  ['deep in what no message has', 'chat', { status: 500, body: { error: { detail: { headers: [echo] } } } }],
  ['a header', 'chat', { status: 429, headers: { 'retry-after': '1', 'x-echo': encodeURIComponent(KEY) } }],
  ['a type', 'chat', { body: 'x', headers: { 'content-type': `text/html; key=${encodeURIComponent(KEY)}` } }],
  ['an error in a stream', 'chat', { events: [{ error: { message: echo } }] }],
  ['an error event', 'responses', { events: [{ type: 'error', code: KEY, message: echo }] }],
  ['a failed response', 'responses', { events: [{ type: 'response.failed', response: { error: { message: echo } } }] }],
  ['what is no JSON', 'chat', { events: [`data: {${echo}\n\n`] }],
  ['a format that is not kept', 'chat', { events: chatEvents([echo]) }],
  ['a format that is not kept', 'responses', { events: responseEvents([echo], { model: KEY }) }],
  ['a refusal', 'chat', { events: [chatDelta({ refusal: echo }), ...chatEvents([])] }],
];

test.each(ERRORS)('no error has it: %s, %s', async (_, api, answer) => {
  const logged = ['log', 'info', 'warn', 'error', 'debug'].map((name) => vi.spyOn(console, name as 'log'));
  const server = await startModelServer([answer]);
  const client = openAIClient({ baseURL: server.baseURL, apiKey: KEY, name: 'tiny', api, format: 'none' });
  const error: unknown = await client.complete({ ...ASK, format: FORMAT }).catch((one: unknown) => one);
  expect(error).toMatchObject({ name: 'ModelError' });
  expect(server.asked[0]?.headers.authorization).toContain(KEY);
  expectHidden(allOf(error));
  expect(logged.flatMap(({ mock }) => mock.calls)).toEqual([]);
  vi.restoreAllMocks();
});

test.each(['chat', 'responses'] as const)('no reply has it, however it comes in pieces: %s', async (api) => {
  const texts = ['Your key is ', KEY.slice(0, 9), KEY.slice(9), ', is it?', KEY.slice(0, 3)];
  const events =
    api === 'chat'
      ? [
          chatDelta({ tool_calls: [{ index: 0, id: KEY, function: { name: KEY, arguments: KEY } }] }),
          ...chatEvents(texts),
        ]
      : responseEvents(texts, { model: KEY }, [{ type: 'function_call', call_id: KEY, name: KEY, arguments: KEY }]);
  const server = await startModelServer([{ events }]);
  const client = openAIClient({ baseURL: server.baseURL, apiKey: KEY, name: 'tiny', api, format: 'none' });
  const pieces: string[] = [];
  const reply = await client.complete(ASK, { onText: (piece) => pieces.push(piece) });
  expect(reply.text).toBe(`Your key is [key], is it?${KEY.slice(0, 3)}`);
  expect(pieces.join('')).toBe(reply.text);
  expectHidden(JSON.stringify(reply) + pieces.join('|'));
});

test.each([
  ['a key of another', 'the API key sk-abcd****wxyz is wrong', 'the API key [key] is wrong'],
  ['a bearer', 'got "Bearer eyJhbGciOi.J9"', 'got "[key]"'],
  ['ordinary words', 'the task-list and the disk-usage', 'the task-list and the disk-usage'],
])('what looks like a key is taken out of an error: %s', (_, said, told) => {
  expect(createSecret(undefined).hideIn(said)).toBe(told);
});

test('a word that local servers take for a key is no secret', () => {
  expect(createSecret('ollama').hideIn('ollama is not there')).toBe('ollama is not there');
});

test('in pieces says the same as at once, wherever the pieces begin', () => {
  const part = fc.constantFrom('s', 'sk', 'sk-', 'sk-secret', 'sk-secret1', 'x', '', 'sk-secret12 ');
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const secret = createSecret('sk-secret1');
      const told: string[] = [];
      const pieces = secret.hideInPieces((piece) => told.push(piece));
      for (const one of parts) pieces.add(one);
      pieces.end();
      expect(told.join('')).toBe(secret.hideExactIn(parts.join('')));
    }),
  );
});
