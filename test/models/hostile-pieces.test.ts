/** A model server that sends what no model server sends: every piece and every reply passes one schema, or is none of it used. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  journaled,
  ModelError,
  openAIClient,
  type ModelReply,
  type ModelRequest,
  type OpenAISettings,
} from '../../src/models/index.ts';
import { createFileStore, resultsIn } from '../../src/store/index.ts';
import { chatDelta, chatEvents, responseEvents, startModelServer, type Answer } from '../support/model-server.ts';
import { fileFolder } from '../support/folders.ts';

type Api = OpenAISettings['api'];
const ASK: ModelRequest = { messages: [{ role: 'user', content: 'Find the genes of the kinase.' }] };
const MIB = 1024 * 1024;

/** What comes of these answers of a server on the wire, in order. */
async function outcomes(
  answers: readonly Answer[],
  api: Api = 'chat',
  more: Partial<OpenAISettings> = {},
): Promise<readonly (ModelReply | ModelError)[]> {
  const server = await startModelServer(answers);
  const client = openAIClient({ baseURL: server.baseURL, name: 'tiny', api, format: 'none', ...more });
  const all: (ModelReply | ModelError)[] = [];
  for (const _ of answers) {
    all.push(
      await client.complete(ASK).catch((error: unknown) => {
        expect(error).toBeInstanceOf(ModelError);
        return error as ModelError;
      }),
    );
  }
  await server.close();
  return all;
}

const called = (call: object): Answer => ({
  events: [chatDelta({ tool_calls: [call] }, 'tool_calls'), ...chatEvents([], 'tool_calls')],
});
const deep = (levels: number) => `{"a":${'['.repeat(levels - 1)}1${']'.repeat(levels - 1)}}`;

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;

/** A reply is whole and countable; an error was paid for, and has a name. */
function isSound(one: ModelReply | ModelError): void {
  const { inputTokens, outputTokens, cachedInputTokens, calls } = one.usage ?? {};
  if (one instanceof ModelError) {
    expect(['malformed-reply', 'cut-off', 'cut-stream', 'server']).toContain(one.kind);
    if (one.kind !== 'malformed-reply' && one.kind !== 'cut-off') return;
    expect(one).toMatchObject({ severity: one.kind === 'cut-off' ? 'REPLANNING' : 'CRITICAL' });
  } else {
    expect(one.toolCalls.length).toBeLessThanOrEqual(128);
    for (const { id, name, arguments: text } of one.toolCalls)
      expect([id, name, text].map((part) => typeof part)).toEqual(['string', 'string', 'string']);
    expect(['stop', 'length', 'content-filter', 'refusal', 'tool-calls']).toContain(one.finish);
  }
  expect([inputTokens, outputTokens, cachedInputTokens, calls].every(isCount)).toBe(true);
}

const NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf', 'length'];
const hostile = fc.oneof(
  fc.constantFrom<unknown>(4_294_967_294, 2 ** 53, -5, -1, 0.5, 1e308, '12', '', null, true, [], {}, [[]], ...NAMES),
  fc.constantFrom(...NAMES).map((name) => ({ [name]: { [name]: 1 } })),
  // JSON has no NaN: a server that writes it sends no JSON.
  fc.jsonValue({ maxDepth: 3 }),
);

describe('every piece of a stream passes one schema', () => {
  const members =
    Object.getOwnPropertyNames(Array.prototype).length + Object.getOwnPropertyNames(Object.prototype).length;
  const untouched = () => {
    expect(
      Object.getOwnPropertyNames(Array.prototype).length + Object.getOwnPropertyNames(Object.prototype).length,
    ).toBe(members);
    expect(([] as { name?: string }).name).toBeUndefined();
  };

  test.each([
    ['an index that would walk a sparse array', 4_294_967_294],
    ['an index that is a member of every array', '__proto__'],
    ['an index of a constructor', 'constructor'],
    ['an index below 0', -1],
    ['an index above the most', 128],
    ['an index that is no whole number', 0.5],
  ])('%s is no reply, and was paid for', async (_, index) => {
    const [failed] = await outcomes([called({ index, id: 'c', function: { name: 'find', arguments: '{}' } })]);
    expect(failed).toMatchObject({
      kind: 'malformed-reply',
      severity: 'CRITICAL',
      usage: { calls: 1, reckoned: true },
    });
    expect((failed as ModelError).message).toContain('the index of a call is ');
    untouched();
  });

  test.each(['constructor', '__proto__', 'toString'])(
    'a finish called %s is an end like any unknown word',
    async (word) => {
      const [reply] = await outcomes([{ events: chatEvents(['yes'], word) }]);
      expect(reply).toMatchObject({ finish: 'stop', text: 'yes' });
    },
  );

  test('128 calls are read, in the order of their places, and one more is no reply', async () => {
    const calls = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        index: count - 1 - at,
        id: `c${at}`,
        function: { name: 'find', arguments: '{}' },
      }));
    const items = (count: number) =>
      calls(count).map(({ id }) => ({ type: 'function_call', call_id: id, name: 'find', arguments: '{}' }));
    const chat = (count: number) => ({
      events: [chatDelta({ tool_calls: calls(count) }), ...chatEvents([], 'tool_calls')],
    });
    const [fits, many] = await outcomes([chat(128), chat(129)]);
    expect((fits as ModelReply).toolCalls.map(({ id }) => id)).toEqual(
      calls(128)
        .map(({ id }) => id)
        .toReversed(),
    );
    expect(many).toMatchObject({ kind: 'malformed-reply' });
    const [alike, more] = await outcomes(
      [128, 129].map((count) => ({ events: responseEvents([], {}, items(count)) })),
      'responses',
    );
    expect((alike as ModelReply).toolCalls).toHaveLength(128);
    expect(more).toMatchObject({ kind: 'malformed-reply' });
  });

  test('arguments of 64 levels are read, and 65 or 45,000 are no reply', async () => {
    const call = (levels: number) => ({ name: 'find', arguments: deep(levels) });
    const levels = [64, 65, 45_000];
    const chat = await outcomes(levels.map((one) => called({ index: 0, id: 'c', function: call(one) })));
    const item = (one: number) => ({ type: 'function_call', call_id: 'c', ...call(one) });
    const responses = await outcomes(
      levels.map((one) => ({ events: responseEvents([], {}, [item(one)]) })),
      'responses',
    );
    for (const [fits, ...others] of [chat, responses]) {
      expect(fits).toMatchObject({ finish: 'tool-calls', toolCalls: [{ name: 'find' }] });
      for (const failed of others) {
        expect(failed).toMatchObject({ kind: 'malformed-reply', usage: { inputTokens: 10, outputTokens: 5 } });
        expect((failed as ModelError).message).toContain('more than 64 levels');
      }
    }
  });

  test.each<Api>(['chat', 'responses'])(
    'a reply of more bytes than may be is cut off, and was paid for: %s',
    async (api) => {
      const events = (texts: readonly string[]) => (api === 'chat' ? chatEvents(texts) : responseEvents(texts));
      const kib = 'x'.repeat(1024);
      const answers = [4, 5].map((count) => ({ events: events(Array.from({ length: count }, () => kib)) }));
      const [fits, failed] = await outcomes(answers, api, { replyBytes: 4096 });
      expect(fits).toMatchObject({ finish: 'stop', text: kib.repeat(4) });
      expect(failed).toMatchObject({
        kind: 'cut-off',
        severity: 'REPLANNING',
        text: kib.repeat(4),
        usage: { outputTokens: 1024 },
      });
      expect((failed as ModelError).message).toContain('replyBytes (4096)');
    },
  );

  test('without a setting 8 MiB are read and no more', async () => {
    const [fits, failed] = await outcomes(
      [8, 9].map((count) => ({ events: chatEvents(Array.from({ length: count }, () => 'x'.repeat(MIB))) })),
    );
    expect((fits as ModelReply).text).toHaveLength(8 * MIB);
    expect(failed).toMatchObject({ kind: 'cut-off' });
  });

  test('a piece that never ends is not held', async () => {
    const [failed] = await outcomes([{ events: [`data: "${'x'.repeat(3 * MIB)}`] }], 'chat', { replyBytes: 1 });
    expect(failed).toMatchObject({ kind: 'cut-off', usage: { calls: 1 } });
  });

  test.each<Api>(['chat', 'responses'])('whatever stands in the members of a piece: %s', async (api) => {
    await fc.assert(
      fc.asyncProperty(fc.array(hostile, { minLength: 12, maxLength: 12 }), async (v) => {
        const pieces: unknown[] = (
          api === 'chat'
            ? [
                {
                  choices: [
                    { delta: { tool_calls: [{ index: v[0], id: v[1], function: { name: v[2], arguments: v[3] } }] } },
                  ],
                },
                { choices: [{ delta: { content: v[4], refusal: v[5] }, finish_reason: v[6] }], model: v[7] },
                { usage: { prompt_tokens: v[8], completion_tokens: v[9], prompt_tokens_details: v[10] } },
                { choices: v[11], usage: v[0] },
                v[2],
              ]
            : [
                { type: v[0], delta: v[1] },
                { type: 'response.output_text.delta', delta: v[2] },
                {
                  type: 'response.output_item.done',
                  item: { type: 'function_call', call_id: v[3], name: v[4], arguments: v[5] },
                },
                { type: 'response.output_item.done', item: v[6] },
                {
                  type: 'response.completed',
                  response: { usage: { input_tokens: v[7], output_tokens: v[8] }, status: v[9] },
                },
                { type: 'response.failed', response: v[10] },
                v[11],
              ]
        ).filter((piece) => typeof piece !== 'string');
        // Each alone, and all of them in one stream.
        const streams = [...pieces.map((piece) => [piece]), pieces];
        const answers = streams.map((events) => ({
          events: [...events, ...(api === 'chat' ? chatEvents(['yes']) : responseEvents(['yes']))],
        }));
        for (const one of await outcomes(answers, api)) isSound(one);
        untouched();
      }),
      { numRuns: 25 },
    );
  });
});

describe('every whole reply passes the same schema, whoever made it', () => {
  const good = {
    text: 'yes',
    toolCalls: [],
    finish: 'stop',
    usage: { calls: 1, inputTokens: 1, cachedInputTokens: 0, outputTokens: 1 },
    model: 'own',
  };
  const ask = (reply: unknown, key = 'run/1') => {
    const client = { name: 'own', complete: () => Promise.resolve(reply as ModelReply) };
    return journaled(client, { key, store }, ASK);
  };
  const store = resultsIn(createFileStore(fileFolder('replies')), 'runs/o/c');

  test.each<[string, object]>([
    ['usage as text', { usage: { ...good.usage, inputTokens: '12' } }],
    ['a cost that is no number', { usage: { ...good.usage, cost: Number.NaN } }],
    ['a finish that there is not', { finish: 'constructor' }],
    ['no list of calls', { toolCalls: { length: 3 } }],
    ['too many calls', { toolCalls: Array.from({ length: 129 }, () => ({ id: 'c', name: 'n', arguments: '{}' })) }],
    ['arguments that are no text', { toolCalls: [{ id: 'c', name: 'n', arguments: {} }] }],
    ['arguments that are too deep', { toolCalls: [{ id: 'c', name: 'n', arguments: deep(65) }] }],
  ])('a client of another make: %s', async (name, more) => {
    const failed = await ask({ ...good, ...more }, name).catch((error: unknown) => error);
    expect(failed).toMatchObject({ name: 'ModelError', kind: 'malformed-reply', usage: { calls: 1 } });
    // It was paid for, and comes again from the journal.
    await expect(ask(good, name)).rejects.toMatchObject({ kind: 'malformed-reply' });
  });

  test('what fits comes through', async () => {
    expect(await ask(good)).toMatchObject(good);
  });
});
