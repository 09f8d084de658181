/** The scripted model says its lines, and nothing else. */

import { describe, expect, test } from 'vitest';
import { ModelError, scriptedClient, type ModelRequest } from '../../src/models/index.ts';

const ask = (content: string, system = 'You plan.'): ModelRequest => ({
  messages: [
    { role: 'system', content: system },
    { role: 'user', content: 'earlier' },
    { role: 'user', content },
  ],
});
const COUNT = { name: 'count', schema: { type: 'object', properties: { n: { type: 'integer' } } } };

test('says its lines in order, keeps what was asked, and reckons the usage', async () => {
  const model = scriptedClient([{ reply: 'one' }, { when: 'count', reply: { value: { n: 2 } } }]);
  const heard: string[] = [];
  expect(await model.complete(ask('first'), { onText: (piece) => heard.push(piece) })).toEqual({
    text: 'one',
    toolCalls: [],
    finish: 'stop',
    usage: { inputTokens: 6, cachedInputTokens: 0, outputTokens: 1, calls: 1, reckoned: true },
    model: 'scripted',
  });
  expect(heard).toEqual(['one']);
  expect(model.left).toBe(1);
  expect(await model.complete({ ...ask('count'), format: COUNT })).toMatchObject({ value: { n: 2 }, text: '{"n":2}' });
  expect(model.requests.map(({ messages }) => messages.at(-1)?.content)).toEqual(['first', 'count']);
  expect(model.left).toBe(0);
});

test.each<[name: string, when: string | RegExp | undefined, fits: boolean]>([
  ['anything', undefined, true],
  ['a piece of the last message', 'genes', true],
  ['a piece of a system message', 'You plan', true],
  ['a pattern', /GENES/i, true],
  ['a pattern that remembers', /genes/g, true],
  ['what stands in an earlier message only', 'earlier', false],
  ['what nobody has said', 'proteins', false],
])('a line waits for %s', async (_, when, fits) => {
  const model = scriptedClient([{ ...(when !== undefined && { when }), reply: 'yes' }, { reply: 'next' }]);
  const asked = model.complete(ask('which genes'));
  if (fits) expect((await asked).text).toBe('yes');
  else {
    await expect(asked).rejects.toThrow(/does not improvise: it has 2 lines, and line 1 waits for .*"which genes"/);
    // The line is still there: a wrong question does not use it up.
    expect(model.left).toBe(2);
    expect(model.requests).toHaveLength(1);
  }
});

describe('fails as a server does', () => {
  test('with the error of a line', async () => {
    const error = new ModelError('rate-limit', 'slow down', { retryAfterMs: 5 });
    await expect(scriptedClient([{ error }]).complete(ask('a'))).rejects.toBe(error);
  });
  test.each([
    ['format-not-kept', { text: 'I would say two.' }],
    ['format-not-kept', { value: { n: 'two' } }],
    ['cut-off', { text: '{"n":', finish: 'length' as const }],
    ['refusal', { text: 'no', finish: 'refusal' as const }],
    ['content-filter', { finish: 'content-filter' as const }],
  ])('where a format is not kept: %s, %j', async (kind, reply) => {
    const asked = scriptedClient([{ reply }]).complete({ ...ask('count'), format: COUNT });
    await expect(asked).rejects.toMatchObject({ kind, usage: { reckoned: true } });
  });
});

test.each<[name: string, request: Partial<ModelRequest>, told: RegExp]>([
  ['no text', { messages: [{ role: 'user', content: 5 as unknown as string }] }, /messages\[0\]\.content is no whole/],
  ['half of a pair', { messages: [{ role: 'user', content: '\ud83d' }] }, /messages\[0\]\.content is no whole text/],
  ['an answer to no call', { messages: [{ role: 'tool', content: '' }] }, /messages\[0\] says not which call/],
  [
    'calls of a person',
    { messages: [{ role: 'user', content: '', toolCalls: [{ id: 'a', name: 'b', arguments: '' }] }] },
    /messages\[0\] has toolCalls/,
  ],
  ['the name of a tool', { tools: [{ name: 'a b', description: '', parameters: {} }] }, /the name "a b": expected let/],
  [
    'two of a name',
    { tools: ['a', 'a'].map((name) => ({ name, description: '', parameters: {} })) },
    /two tools have the same name/,
  ],
  ['the name of a format', { format: { name: '', schema: {} } }, /the name "": expected letters/],
  [
    'a schema that is none',
    { format: { name: 'a', schema: { type: 'gene' } } },
    /format\.schema cannot be read \(.*gene/,
  ],
])('a request that cannot be sent is refused before anything is paid for: %s', async (_, request, told) => {
  const model = scriptedClient([{ reply: 'yes' }]);
  const asked = model.complete({ ...ask('a'), ...request });
  await expect(asked).rejects.toMatchObject({ kind: 'bad-request' });
  await expect(asked).rejects.toThrow(told);
  expect(model.left).toBe(1);
});
