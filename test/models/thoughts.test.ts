/** Thoughts of chat completions over HTTP: read in every form in which servers give them, and given back as they came. */

import { describe, expect, test } from 'vitest';
import type { ModelMessage, ModelReply, ModelRequest } from '../../src/models/index.ts';
import { chatDelta, chatEvents, responseEvents, type Answer } from '../support/model-server.ts';
import { startClient as start } from '../support/model-client.ts';

/** The bounds of docs/bounds.md, in characters. */
const [MAX_PLAIN, MAX_FORMED] = [64_000, 128_000];
const ASK: ModelRequest = { messages: [{ role: 'user', content: 'How many?' }] };
const GOOD: Answer = { events: chatEvents(['yes']) };
const find = (index: number, more: object = {}) => ({
  ...{ index, id: `call_${index}`, type: 'function', function: { name: 'find', arguments: '{}' } },
  ...more,
});
const streamed = (...deltas: object[]): Answer => ({
  events: [...deltas.map((delta) => chatDelta(delta)), ...chatEvents([], 'tool_calls')],
});
const whole = (message: object): Answer => ({ body: { choices: [{ message, finish_reason: 'tool_calls' }] } });
const sealed = (name: string) => ({ google: { thought_signature: name } });

/** The reply as a message of the next request. */
function messageOf({ text, toolCalls, reasoning = [] }: ModelReply): ModelMessage {
  return { role: 'assistant', content: text, toolCalls, reasoning };
}

/** The assistant's message as the server is given it in the next request. */
async function returned(answer: Answer) {
  const { ask, server, client } = await start([answer, GOOD]);
  const reply = await ask(ASK);
  const results = reply.toolCalls.map(({ id }): ModelMessage => ({ role: 'tool', content: '3', toolCallId: id }));
  await client.complete({ messages: [...ASK.messages, messageOf(reply), ...results] });
  const { messages } = server.asked[1]!.body as { messages: readonly Record<string, unknown>[] };
  return messages[1]!;
}

describe('go back under the name by which they came', () => {
  test('DeepSeek: reasoning_content in pieces', () =>
    goesBack(streamed({ reasoning_content: 'I co' }, { reasoning_content: 'unt.' }, { tool_calls: [find(0)] }), {
      reasoning_content: 'I count.',
    }));

  test('a text under another name', () =>
    goesBack(streamed({ reasoning: 'I count.' }, { tool_calls: [find(0)] }), { reasoning: 'I count.' }));

  test('a whole answer', () =>
    goesBack(whole({ reasoning: 'I count.', tool_calls: [find(0)] }), { reasoning: 'I count.' }));

  test('OpenRouter: reasoning_details in pieces, beside the same as a text', () => {
    const text = { type: 'reasoning.text', index: 0 };
    const seal = { type: 'reasoning.encrypted', index: 1, id: 'r1' };
    const answer = streamed(
      { reasoning: 'I co', reasoning_details: [{ ...text, text: 'I co', format: 'a-v1' }] },
      { reasoning: 'unt.', reasoning_details: [{ ...text, text: 'unt.', signature: null }] },
      { reasoning_details: [{ ...text, signature: 'c2VhbA' }] },
      { reasoning_details: [{ ...seal, data: 'c2Vh' }] },
      { reasoning_details: [{ ...seal, data: 'bGVk' }] },
      { tool_calls: [find(0)] },
    );
    const joined = { ...text, text: 'I count.', format: 'a-v1', signature: 'c2VhbA' };
    return goesBack(answer, { reasoning_details: [joined, { ...seal, data: 'c2VhbGVk' }] });
  });

  test('Gemini: signatures on calls', () =>
    goesBack(streamed({ tool_calls: [find(0, { extra_content: sealed('a') })] }, { tool_calls: [find(1)] }), {
      tool_calls: [{ id: 'call_0', extra_content: sealed('a') }, { id: 'call_1' }],
    }));

  test('signatures on calls whose numbers have gaps', () =>
    goesBack(streamed({ tool_calls: [find(2)] }, { tool_calls: [find(5, { extra_content: sealed('b') })] }), {
      tool_calls: [{ id: 'call_2' }, { id: 'call_5', extra_content: sealed('b') }],
    }));

  test('a server that has none is given none', () => goesBack(streamed({ tool_calls: [find(0)] }), { content: '' }));
});

/** The message that is given back has these members, and no other thought. */
async function goesBack(answer: Answer, message: object): Promise<void> {
  const given = await returned(answer);
  expect(given).toMatchObject(message);
  const names = (of: object) => Object.keys(of).filter((name) => name.startsWith('reasoning'));
  expect(names(given)).toEqual(names(message));
  const marks = (of: unknown) => JSON.stringify(of).split('extra_content').length;
  expect(marks(given)).toBe(marks(message));
}

test.each<[name: string, delta: object]>([
  ['a number', { reasoning_content: 7 }],
  ['an object', { reasoning: { text: 'no' } }],
  ['details that are none', { reasoning_details: ['no', 7, null] }],
  ['details of 500 levels', { reasoning_details: [JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`)] }],
  ['a mark of another form', { tool_calls: [find(0, { extra_content: 'no' })] }],
])('%s is passed over, and the reply is read', async (_, delta) => {
  const { ask } = await start([streamed(delta, { tool_calls: [find(0)] })]);
  const { toolCalls, reasoning } = await ask(ASK);
  expect([toolCalls.length, reasoning]).toEqual([1, undefined]);
});

test(`a text of thoughts is cut at ${MAX_PLAIN} characters`, async () => {
  const pieces = Array.from({ length: 70 }, () => ({ reasoning_content: 'x'.repeat(1000) }));
  const given = await returned(streamed(...pieces, { tool_calls: [find(0)] }));
  expect((given['reasoning_content'] as string).length).toBe(MAX_PLAIN);
});

test(`details beyond ${MAX_FORMED} characters are left out whole`, async () => {
  const detail = (index: number) => ({
    reasoning_details: [{ type: 'reasoning.encrypted', index, data: 'x'.repeat(50_000) }],
  });
  expect(await returned(streamed(detail(0), detail(1), { tool_calls: [find(0)] }))).toMatchObject({
    reasoning_details: [{ index: 0 }, { index: 1 }],
  });
  const beyond = await returned(streamed(detail(0), detail(1), detail(2), { tool_calls: [find(0)] }));
  expect(beyond).not.toHaveProperty('reasoning_details');
});

describe('a server that refuses them', () => {
  const thoughts = [{ type: 'reasoning', message: { reasoning_content: 'I count.' }, calls: { 0: sealed('a') } }];
  const calls = [{ id: 'a', name: 'find', arguments: '{}' }];
  const AGAIN: ModelRequest = {
    messages: [
      ...ASK.messages,
      { role: 'assistant', content: '', toolCalls: calls, reasoning: thoughts },
      { role: 'tool', content: '3', toolCallId: 'a' },
    ],
  };

  test('is asked without from then on, and the line for the config is told', async () => {
    const { ask, server, notes } = await start(({ body }) =>
      JSON.stringify(body).includes('reasoning_content')
        ? {
            status: 400,
            body: { error: { message: 'Extra inputs are not permitted', param: 'messages.1.reasoning_content' } },
          }
        : GOOD,
    );
    await ask(AGAIN);
    await ask(AGAIN);
    expect(server.asked.map(({ body }) => /reasoning_content|extra_content/.test(JSON.stringify(body)))).toEqual([
      ...[true, false, false],
    ]);
    expect(server.asked[1]?.body['messages']).toHaveLength(3);
    expect(notes).toEqual([expect.stringContaining("omit: ['thoughts']")]);
  });

  test('may be told so in the settings', async () => {
    const { ask, server } = await start(() => GOOD, { omit: ['thoughts'] });
    await ask(AGAIN);
    expect(JSON.stringify(server.asked[0]?.body)).not.toMatch(/reasoning|extra_content/);
  });

  test('in the form of the Responses API leaves out the sealed items', async () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2VhbGVk' };
    const { ask, server } = await start(
      ({ body }) =>
        JSON.stringify(body['input']).includes('encrypted_content')
          ? {
              status: 400,
              body: {
                error: { code: 'invalid_encrypted_content', message: 'The encrypted content could not be verified.' },
              },
            }
          : { events: responseEvents(['yes']) },
      { api: 'responses', omit: ['include'] },
    );
    await ask({
      messages: [...ASK.messages, { role: 'assistant', content: 'one', reasoning: [item] }, ...ASK.messages],
    });
    expect(server.asked[1]?.body['input']).toEqual([
      { role: 'user', content: 'How many?' },
      { role: 'assistant', content: 'one' },
      { role: 'user', content: 'How many?' },
    ]);
  });
});
