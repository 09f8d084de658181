/** Replies are bought once: whatever asks again, dies or goes on elsewhere. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { journaled, ModelError, openAIClient, scriptedClient, type ModelRequest } from '../../src/models/index.ts';
import { createFileStore, StoreError, type ResultStore, resultsIn } from '../../src/store/index.ts';
import { chatEvents, startModelServer } from '../support/model-server.ts';
import { processOf } from '../support/processes.ts';
import { testFolder } from '../support/folders.ts';

const KEY = 'plan-1/step_1/decide/1';
const ask = (content: string): ModelRequest => ({ messages: [{ role: 'user', content }] });
const COUNT = { name: 'count', schema: { type: 'object', properties: { n: { type: 'integer' } } } };

async function emptyStore(): Promise<ResultStore & { readonly folder: string }> {
  const folder = testFolder('journal');
  return { ...resultsIn(createFileStore(folder), 'calls'), folder };
}

test('the same request under the same key is bought once, whoever asks', async () => {
  const store = await emptyStore();
  const reply = { text: '{"n": 3, "a": "\\ud83d"}' };
  const bought = await journaled(scriptedClient([{ reply }]), { key: KEY, store }, { ...ask('a'), format: COUNT });
  expect(bought).toMatchObject({ value: { n: 3 }, reused: false });

  // Another process, with the members of the request in another order.
  const other = scriptedClient([]);
  const heard: string[] = [];
  const again = await journaled(
    other,
    { key: KEY, store: resultsIn(createFileStore(store.folder), 'calls') },
    { format: { schema: COUNT.schema, name: COUNT.name }, messages: [{ content: 'a', role: 'user' }] },
    { onText: (piece) => heard.push(piece) },
  );
  expect(JSON.stringify(again)).toBe(JSON.stringify({ ...bought, reused: true }));
  expect(heard).toEqual([reply.text]);
  expect(other.requests).toEqual([]);
});

test('what was bought is told once, while it comes', async () => {
  const heard: string[] = [];
  const place = { key: KEY, store: await emptyStore() };
  await journaled(scriptedClient([{ reply: 'yes' }]), place, ask('a'), { onText: (piece) => heard.push(piece) });
  expect(heard).toEqual(['yes']);
});

test.each<[name: string, other: Partial<ModelRequest>, model: string, key: string]>([
  ['other words', ask('b'), 'scripted', KEY],
  ['a format', { format: COUNT }, 'scripted', KEY],
  ['another bound', { maxTokens: 5 }, 'scripted', KEY],
  ['another model', {}, 'larger', KEY],
  ['another call of the same stage', {}, 'scripted', 'plan-1/step_1/decide/2'],
])('what differs is bought, and both are kept: %s', async (_, other, name, key) => {
  const store = await emptyStore();
  const first = scriptedClient([{ reply: '{"n":1}' }]);
  const second = scriptedClient([{ reply: '{"n":2}' }], name);
  await journaled(first, { key: KEY, store }, ask('a'));
  const changed = { ...ask('a'), ...other };
  expect(await journaled(second, { key, store }, changed)).toMatchObject({ text: '{"n":2}', reused: false });
  expect(await journaled(second, { key, store }, changed)).toMatchObject({ text: '{"n":2}', reused: true });
  expect(await journaled(first, { key: KEY, store }, ask('a'))).toMatchObject({ text: '{"n":1}', reused: true });
});

test('what was asked is kept beside what came', async () => {
  const store = await emptyStore();
  const puts: string[] = [];
  const noting: ResultStore = {
    ...store,
    put: async (bytes) => (puts.push(new TextDecoder().decode(bytes)), store.put(bytes)),
    enter: async (name, bytes) => (puts.push(new TextDecoder().decode(bytes)), store.enter(name, bytes)),
  };
  await journaled(scriptedClient([{ reply: 'yes' }]), { key: KEY, store: noting }, ask('a'));
  const [request = '', entry = ''] = puts;
  expect(request).toBe('{"model":"scripted","request":{"messages":[{"content":"a","role":"user"}]},"version":1}');
  const { request: digest } = JSON.parse(entry) as { request: string };
  expect(new TextDecoder().decode(await store.get(digest))).toBe(request);
});

describe('a failure', () => {
  test.each([
    ['cut-off', { text: '{"n":', finish: 'length' as const }],
    ['refusal', { text: 'I will not.', finish: 'refusal' as const }],
    ['content-filter', { finish: 'content-filter' as const }],
    ['format-not-kept', { text: 'Three.' }],
  ])('that was paid for is kept, and comes again alike: %s', async (kind, reply) => {
    const store = await emptyStore();
    const model = scriptedClient([{ reply }]);
    const failures = [];
    for (let time = 0; time < 2; time++) {
      const asked = journaled(model, { key: KEY, store }, { ...ask('a'), format: COUNT });
      failures.push(await asked.catch((error: unknown) => error));
    }
    const [first, second] = failures as ModelError[];
    expect(first).toMatchObject({ name: 'ModelError', kind });
    expect(second).toBeInstanceOf(ModelError);
    expect(JSON.stringify(second)).toBe(JSON.stringify(first));
    expect(second?.message).toBe(first?.message);
    expect(model.requests).toHaveLength(1);
  });

  test.each(['rate-limit', 'cut-stream', 'connection', 'auth'] as const)(
    'that cost nothing that is known is asked again: %s',
    async (kind) => {
      const place = { key: KEY, store: await emptyStore() };
      const model = scriptedClient([{ error: new ModelError(kind, 'it failed') }, { reply: 'yes' }]);
      await expect(journaled(model, place, ask('a'))).rejects.toMatchObject({ kind });
      expect(await journaled(model, place, ask('a'))).toMatchObject({ text: 'yes', reused: false });
    },
  );
});

describe('a store', () => {
  const broken = (code: 'unwritable' | 'unreadable') => Promise.reject(new StoreError(code, 'the disk is full'));

  test('that takes no writes, or cannot be read, is found out before anything is bought', async () => {
    const store = await emptyStore();
    const model = scriptedClient([]);
    for (const bad of [{ put: () => broken('unwritable') }, { entry: () => broken('unreadable') }]) {
      const asked = journaled(model, { key: KEY, store: { ...store, ...bad } }, ask('a'));
      await expect(asked).rejects.toThrow('the disk is full');
    }
    expect(model.requests).toEqual([]);
  });

  test('that fails when the reply is there loses nothing', async () => {
    const store = await emptyStore();
    let isBroken = true;
    const brittle: ResultStore = {
      ...store,
      enter: (name, bytes) => (isBroken ? broken('unwritable') : store.enter(name, bytes)),
    };
    const model = scriptedClient([{ reply: 'dear' }]);
    const asked = () => journaled(model, { key: KEY, store: brittle }, ask('a'));
    for (let time = 0; time < 2; time++) {
      const failed = asked();
      await expect(failed).rejects.toMatchObject({
        kind: 'not-journaled',
        severity: 'RETRIABLE',
        usage: { outputTokens: 1 },
      });
      await expect(failed).rejects.toThrow(/was paid for \(1 \+ 1 tokens\), and the store at .* did not take it/);
    }
    isBroken = false;
    expect(await asked()).toMatchObject({ text: 'dear', reused: true });
    expect(await journaled(scriptedClient([]), { key: KEY, store }, ask('a'))).toMatchObject({ text: 'dear' });
    expect(model.requests).toHaveLength(1);
  });

  test('of two that ask at once both get what is kept', async () => {
    const store = await emptyStore();
    const models = ['first', 'second'].map((reply) => scriptedClient([{ reply }]));
    const replies = await Promise.all(models.map((model) => journaled(model, { key: KEY, store }, ask('a'))));
    expect(replies[0]?.text).toBe(replies[1]?.text);
    expect(await journaled(scriptedClient([]), { key: KEY, store }, ask('a'))).toMatchObject({
      text: replies[0]?.text,
    });
  });

  test('whose entry is of another version says so, and nothing is bought', async () => {
    const store = await emptyStore();
    const strange: ResultStore = {
      ...store,
      entry: () => Promise.resolve(Buffer.from('{"version":2,"reply":{"text":"","toolCalls":[]}}')),
    };
    const asked = journaled(scriptedClient([]), { key: KEY, store: strange }, ask('a'));
    await expect(asked).rejects.toThrow(
      /under model\/plan-1\/step_1\/decide\/1\/.* is no reply that this version can read/,
    );
  });
});

test('a key that is empty is refused', async () => {
  const store = await emptyStore();
  await expect(journaled(scriptedClient([]), { key: '', store }, ask('a'))).rejects.toThrow(
    '<workflowId>/<step>/<stage>/<n>',
  );
});

test('a process that is killed after the reply was kept has bought for its successor', async () => {
  const store = await emptyStore();
  const server = await startModelServer(() => ({ events: chatEvents(['worth', ' its price']) }));
  const child = spawn(process.execPath, [processOf('models/buyer-process')], {
    env: { ...process.env, FOLDER: store.folder, BASE_URL: server.baseURL, KEY },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  expect([code, signal]).toEqual([null, 'SIGKILL']);
  expect(server.asked).toHaveLength(1);

  const model = openAIClient({ baseURL: server.baseURL, name: 'tiny', api: 'chat', format: 'none' });
  const reply = await journaled(model, { key: KEY, store }, ask('What is it worth?'));
  expect(reply).toMatchObject({ text: 'worth its price', reused: true, usage: { inputTokens: 10, outputTokens: 5 } });
  expect(server.asked).toHaveLength(1);
});
