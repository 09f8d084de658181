/** The forms in which servers answer: streams, whole answers, calls, endings, errors and thoughts. */

import { describe, expect, test, vi } from 'vitest';
import fc from 'fast-check';
import { openAIClient, type ModelRequest } from '../../src/models/index.ts';
import { startClient as start } from '../support/model-client.ts';
import { chatDelta, chatEvents, responseEvents, type Answer } from '../support/model-server.ts';

const ASK: ModelRequest = { messages: [{ role: 'user', content: 'How many?' }], temperature: 0, maxTokens: 9 };

test('the reply is the same wherever the bytes are cut', async () => {
  const [one, two] = [chatDelta({ content: 'né 🧬' }), chatDelta({ content: ' and\nmore' }, 'stop')];
  const events = `: c\r\n\r\nevent: x\r\ndata: ${JSON.stringify(one)}\r\n\r\n\ndata:${JSON.stringify(two)}\n\ndata: [DONE]\n\ndata: {`;
  const whole = JSON.stringify({ choices: [{ message: { content: 'né 🧬 and\nmore' } }] }, null, 2);
  const { complete } = openAIClient({ name: 'tiny', api: 'chat', format: 'none' });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(events, whole), fc.array(fc.nat(400)), async (text, cuts) => {
      const bytes = new TextEncoder().encode(text);
      const places = [0, ...cuts.map((cut) => cut % bytes.length), bytes.length].toSorted((a, b) => a - b);
      const chunks = places.slice(1).map((end, at) => bytes.slice(places[at], end));
      vi.stubGlobal('fetch', async () => new Response(ReadableStream.from(chunks)));
      expect(await complete(ASK)).toMatchObject({ text: 'né 🧬 and\nmore', finish: 'stop' });
    }),
  );
  vi.unstubAllGlobals();
});

describe('the answers of servers', () => {
  test('OpenRouter: comments while it works are signs of life', async () => {
    const { server, client } = await start([{ events: [], after: 'silence' }], { timeout: { idleMs: 2000 } });
    let beats = 0;
    const reply = await client.complete(ASK, {
      onBeat() {
        beats += 1;
        if (beats < 4) server.say([': OPENROUTER PROCESSING\n\n'], 'silence');
        else if (beats === 4) server.say(chatEvents(['yes']), 'end');
      },
    });
    expect(reply.text).toBe('yes');
    expect(beats).toBeGreaterThan(4);
  });

  test('OpenRouter: cost is told where the project has no price of its own', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, cost: 0.5 };
    const answer = { events: chatEvents(['yes'], 'stop', usage) };
    expect((await (await start([answer])).ask(ASK)).usage.cost).toBe(0.5);
    const priced = await start([answer], { prices: { tiny: { input: 1e6, output: 0 } } });
    expect((await priced.ask(ASK)).usage.cost).toBe(10);
  });

  test('Groq: x_groq has the usage', async () => {
    const last = { choices: [], x_groq: { usage: { prompt_tokens: 7, completion_tokens: 2 } } };
    const { ask } = await start([{ events: [...chatEvents(['yes'], null), chatDelta({}, 'stop'), last] }]);
    expect((await ask(ASK)).usage).toMatchObject({ inputTokens: 7, outputTokens: 2 });
  });

  const call = (id: string | undefined, name: string | undefined, written: string, index?: number) => ({
    ...(index !== undefined && { index }),
    ...(id !== undefined && { id }),
    function: { ...(name !== undefined && { name }), arguments: written },
  });
  test.each<[string, readonly (readonly object[])[], readonly string[]]>([
    ['in one piece', [[call('a', 'find', '{}'), call('b', 'stop', '{}')]], ['find {}', 'stop {}']],
    [
      'in one piece without ids',
      [[call(undefined, 'find', '{}'), call(undefined, 'find', '{"x":1}')]],
      ['find {}', 'find {"x":1}'],
    ],
    ['in a piece each', [[call('a', 'find', '{}')], [call('b', 'find', '{"x":1}')]], ['find {}', 'find {"x":1}']],
    ['in a piece each without ids', [[call('', 'find', '{}')], [call('', 'stop', '{}')]], ['find {}', 'stop {}']],
    ['each with the number 0', [[call('a', 'find', '{}', 0)], [call('b', 'stop', '{}', 0)]], ['find {}', 'stop {}']],
    [
      'in many pieces',
      [
        [call('a', 'find', '')],
        [call(undefined, undefined, '{"x"')],
        [call(undefined, undefined, ':1}')],
        [call('b', 'stop', '{}')],
      ],
      ['find {"x":1}', 'stop {}'],
    ],
    [
      'with the name in each piece',
      [
        [call('a', 'find', '{"x"', 0)],
        [call('a', 'find', ':1}', 0)],
        [call('b', 'stop', '{', 1)],
        [call('b', 'stop', '}', 1)],
      ],
      ['find {"x":1}', 'stop {}'],
    ],
    [
      'with arguments under numbers of their own',
      [[call('a', 'find', '', 0)], [call(undefined, undefined, '{"x"', 1)], [call('', '', ':1}', 2)]],
      ['find {"x":1}'],
    ],
    [
      'two, the second one under two numbers',
      [
        [call('a', 'find', '', 0)],
        [call(undefined, undefined, '{}', 0)],
        [call('b', 'find', '', 0)],
        [call(undefined, undefined, '{"x"', 1)],
        [call(undefined, undefined, ':1}', 1)],
      ],
      ['find {}', 'find {"x":1}'],
    ],
    [
      'with arguments under the number of the next call',
      [[call('a', 'find', '', 0)], [call(undefined, undefined, '{}', 1)], [call('b', 'stop', '{}', 1)]],
      ['find {}', 'stop {}'],
    ],
    [
      'in one piece, the arguments beside it',
      [[call('a', 'find', ''), call(undefined, undefined, '{"x":1}')]],
      ['find {"x":1}'],
    ],
    [
      'with another id in each piece',
      [[call('a', 'find', '{"x"', 0)], [call('b', undefined, ':1}', 0)]],
      ['find {"x":1}'],
    ],
    [
      'with a name in pieces',
      [[call('a', 'fi', '', 0)], [call(undefined, 'nd', '', 0)], [call(undefined, undefined, '{}', 0)]],
      ['find {}'],
    ],
  ])('Gemini: calls without an index are told apart: %s', async (_, pieces, calls) => {
    const { ask } = await start([
      { events: [...pieces.map((tool_calls) => chatDelta({ tool_calls })), ...chatEvents([])] },
    ]);
    const { toolCalls, finish } = await ask(ASK);
    expect(toolCalls.map(({ name, arguments: written }) => `${name} ${written}`)).toEqual(calls);
    expect(finish).toBe('tool-calls');
  });

  test.each<[string, readonly object[]]>([
    ['nothing comes before its arguments', [call(undefined, undefined, '{}', 0)]],
    ['it has an id of its own', [call('a', 'find', '{}', 0), call('b', undefined, '{}', 1)]],
    ['its name is blank', [call('a', 'find', '{}', 0), call('b', ' ', '{}', 1)]],
  ])('a call that never gets a name makes the whole reply malformed: %s', async (_, calls) => {
    const pieces = calls.map((one) => chatDelta({ tool_calls: [one] }));
    const message = { tool_calls: calls.map((one) => ({ ...one, index: undefined })) };
    const answers = [
      { events: [...pieces, ...chatEvents([])] },
      { body: { choices: [{ message, finish_reason: 'tool_calls' }] } },
    ];
    const { ask } = await start(answers);
    for (let at = 0; at < answers.length; at++)
      await expect(ask(ASK)).rejects.toMatchObject({ kind: 'malformed-reply' });
  });

  test.each(['eos_token', 'COMPLETE', 'end_turn', 'STOP'])('TGI: eos_token and its like are ends: %s', async (word) => {
    const { ask, notes } = await start([{ events: chatEvents(['yes'], word) }]);
    expect((await ask(ASK)).finish).toBe('stop');
    expect(notes).toEqual([]);
  });

  test.each<[string, object, object]>([
    ['content as a list of parts', { content: [{ type: 'text', text: 'y' }, 'es'] }, { text: 'yes' }],
    ['thoughts among its parts', { content: [{ type: 'thinking', thinking: [] }, { text: 'yes' }] }, { text: 'yes' }],
    [
      'the answer where thoughts belong',
      { content: '', reasoning_content: 'yes' },
      { text: 'yes', reasoning: undefined },
    ],
    [
      'arguments as an object',
      { tool_calls: [{ id: 'a', function: { name: 'find', arguments: { x: 1 } } }] },
      { finish: 'tool-calls', toolCalls: [{ id: 'a', name: 'find', arguments: '{"x":1}' }] },
    ],
  ])('%s is read, in pieces and in one', async (_, message, read) => {
    const { ask } = await start([
      { events: [chatDelta(message), ...chatEvents([])] },
      { body: { choices: [{ message, finish_reason: 'stop' }] } },
    ]);
    for (const reply of [await ask(ASK), await ask(ASK)])
      expect({ reasoning: undefined, ...reply }).toMatchObject(read);
  });

  test('an end in [DONE] without a reason is an end, with the API of Responses too', async () => {
    const done = 'data: [DONE]\n\n';
    const called = chatDelta({ tool_calls: [{ id: 'a', function: { name: 'find', arguments: '{}' } }] });
    const { ask } = await start([{ events: [...chatEvents(['yes'], null), done] }, { events: [called, done] }]);
    expect(await ask(ASK)).toMatchObject({ text: 'yes', finish: 'stop' });
    expect(await ask(ASK)).toMatchObject({ finish: 'tool-calls', toolCalls: [{ name: 'find' }] });
    const responses = await start([{ events: [...responseEvents(['yes']).slice(0, 2), done] }], { api: 'responses' });
    expect(await responses.ask(ASK)).toMatchObject({ text: 'yes', finish: 'stop' });
  });

  test.each<[string, Answer]>([
    ['an error in a whole answer', { body: { error: { message: 'the model is loading', code: 503 } } }],
    ['an error of a page', { status: 502, body: '<html>the model is loading</html>' }],
    ['an error as a text', { status: 500, body: { error: 'the model is loading' } }],
    ['an error as a detail', { status: 500, body: { detail: 'the model is loading' } }],
    ['an error as a message', { status: 500, body: { message: 'the model is loading' } }],
  ])('%s is told in its words', async (_, answer) => {
    const { failing } = await start([answer]);
    expect(await failing(ASK)).toMatchObject({
      kind: 'server',
      message: expect.stringContaining('the model is loading') as string,
    });
  });

  test.each<[string, Answer]>([
    ['no empty line at the end', { events: [`data: ${JSON.stringify(chatDelta({ content: 'né 🧬' }, 'stop'))}`] }],
    [
      'other fields',
      { events: [`event: x\nid: 1\nretry: 5\ndata: ${JSON.stringify(chatDelta({ content: 'né 🧬' }, 'stop'))}\n\n`] },
    ],
    [
      'a whole answer on many lines',
      { body: JSON.stringify({ choices: [{ message: { content: 'né 🧬' } }] }, null, 2) },
    ],
    [
      'a whole answer as a stream',
      { events: [JSON.stringify({ choices: [{ message: { content: 'né 🧬' }, finish_reason: 'stop' }] })] },
    ],
  ])('are read: %s', async (_, answer) => {
    const { ask } = await start([answer]);
    expect(await ask(ASK)).toMatchObject({ text: 'né 🧬', finish: 'stop' });
  });
});

describe('the Responses API', () => {
  const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'c2VhbGVk' };
  const api = { api: 'responses' } as const;

  test('OpenAI: sealed thoughts go back with the message that they belong to', async () => {
    const { ask, server } = await start(() => ({ events: responseEvents(['yes'], {}, [thought]) }), api);
    const { text, reasoning = [] } = await ask(ASK);
    expect(reasoning).toEqual([thought]);
    expect(server.asked[0]?.body).not.toHaveProperty('include');
    const unsealed = { type: 'reasoning', id: 'rs_2', summary: [] };
    await ask({
      messages: [...ASK.messages, { role: 'assistant', content: text, reasoning: [...reasoning, unsealed] }],
    });
    expect(server.asked[1]?.body['input']).toEqual([
      { role: 'user', content: 'How many?' },
      thought,
      { role: 'assistant', content: 'yes' },
    ]);
    // A model that thinks is asked for its thoughts in a form that can be given back.
    expect(server.asked[1]?.body['include']).toEqual(['reasoning.encrypted_content']);
  });

  test('an effort is sent, with what gives its thoughts back', async () => {
    const { ask, server } = await start(() => ({ events: responseEvents(['yes']) }), api);
    await ask({ ...ASK, reasoningEffort: 'low' });
    expect(server.asked[0]?.body).toMatchObject({
      reasoning: { effort: 'low' },
      include: ['reasoning.encrypted_content'],
    });
  });

  test('a whole answer is read like its events', async () => {
    const content = [{ type: 'output_text', text: 'yes' }];
    const output = [
      thought,
      { type: 'message', content },
      { type: 'function_call', call_id: 'a', name: 'find', arguments: '{}' },
    ];
    const usage = { input_tokens: 10, output_tokens: 5 };
    const { ask } = await start(
      [{ body: { object: 'response', status: 'completed', error: null, model: 'served', output, usage } }],
      api,
    );
    expect(await ask(ASK)).toMatchObject({
      ...{ text: 'yes', finish: 'tool-calls', toolCalls: [{ name: 'find' }], reasoning: [thought] },
      usage: { inputTokens: 10, outputTokens: 5 },
    });
  });

  test('more thoughts than may be are no reply', async () => {
    const many = (count: number) => ({
      events: responseEvents(
        ['yes'],
        {},
        Array.from({ length: count }, () => thought),
      ),
    });
    const { ask, failing } = await start([many(128), many(129)], api);
    expect((await ask(ASK)).reasoning).toHaveLength(128);
    expect(await failing(ASK)).toMatchObject({ kind: 'malformed-reply' });
  });
});
