/** One beyond each bound of a call to a model: docs/bounds.md says what happens then. */

import { expect, test, vi } from 'vitest';
import { openAIClient, type OpenAISettings } from '../../src/models/index.ts';
import { lineOf } from '../../src/models/client.ts';
import { readReply } from '../../src/models/judge.ts';
import { checkOf } from '../../src/models/judge.ts';
import { retried } from '../../src/planner/retry-call.ts';
import { chatEvents, startModelServer } from '../support/model-server.ts';
import { modelError, USAGE } from '../support/scripted-planner.ts';

const target = { name: 'tiny', api: 'chat', format: 'none' } as const;

test.each([
  ['replyBytes', { replyBytes: 64 * 2 ** 20 }, { replyBytes: 64 * 2 ** 20 + 1 }],
  ['timeout.idleMs', { timeout: { idleMs: 290_000 } }, { timeout: { idleMs: 290_001 } }],
])('the setting %s beyond its bound is refused', (name, fits, beyond) => {
  expect(() => openAIClient({ ...target, ...fits })).not.toThrow();
  expect(() => openAIClient({ ...target, ...beyond })).toThrow(name);
});

test('of 9 calls 8 are under way at once', async () => {
  const line = lineOf();
  let begun = 0;
  for (let at = 0; at < 9; at++) void line(() => new Promise(() => void (begun += 1)));
  await new Promise(setImmediate);
  expect(begun).toBe(8);
});

test('the pause between two calls without a run has 60 seconds', async () => {
  const pauses: number[] = [];
  const sleep = (ms: number) => Promise.resolve(void pauses.push(ms));
  const call = vi.fn(() => Promise.reject(modelError('rate-limit', 'RETRIABLE', { retryAfterMs: 60_001 })));
  await retried(call as never, { attempts: 2, initialMs: 1, factor: 1 }, sleep).catch(() => undefined);
  expect([pauses, call.mock.calls.length]).toEqual([[60_000], 2]);
});

test('a reply with a value of 201 levels is none', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  const reply = (levels: number) => () =>
    readReply({ text: '', value: nested(levels), toolCalls: [], finish: 'stop', usage: USAGE, model: 'm' }, 'tiny');
  expect(reply(200)).not.toThrow();
  expect(reply(201)).toThrow('more than 200 levels');
});

test('of 6 problems of a value 5 are told', () => {
  const names = Array.from({ length: 6 }, (_, at) => `field_${at}`);
  const problemOf = checkOf({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  });
  const told = problemOf({}) ?? '';
  expect([told.match(/field_/g)?.length, told.endsWith('and 1 more')]).toEqual([5, true]);
});

test('a call without settings has 10 minutes, and 3 of silence', async () => {
  const timer = vi.spyOn(globalThis, 'setTimeout');
  const client = openAIClient({ ...target, baseURL: 'http://127.0.0.1:9/v1' });
  await client.complete({ messages: [{ role: 'user', content: 'Say it.' }] }).catch(() => undefined);
  const times = timer.mock.calls.map(([, ms]) => ms);
  timer.mockRestore();
  expect(times).toEqual(expect.arrayContaining([600_000, 180_000]));
});

const MIB = 2 ** 20;
const ASK = { messages: [{ role: 'user', content: 'Say it.' }] } as const;
const fields = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'v']));

test.each<[string, Partial<OpenAISettings>, Partial<OpenAISettings>]>([
  ['headers', { headers: fields(32) }, { headers: fields(33) }],
  ['query', { query: fields(32) }, { query: fields(33) }],
  ['headers', { headers: { a: 'x'.repeat(8192) } }, { headers: { a: 'x'.repeat(8193) } }],
  ['extraBody', { extraBody: { user: 'x'.repeat(60_000) } }, { extraBody: { user: 'x'.repeat(64 * 1024) } }],
])('%s beyond their bound are refused', (name, fits, beyond) => {
  expect(() => openAIClient({ ...target, ...fits })).not.toThrow();
  expect(() => openAIClient({ ...target, ...beyond })).toThrow(`model.${name}: `);
});

test('an error of more than 1 MiB is told by its beginning', async () => {
  const { baseURL } = await startModelServer([{ status: 500, body: `it failed: ${'x'.repeat(MIB + 1)}` }]);
  const failed = openAIClient({ ...target, baseURL }).complete(ASK);
  await expect(failed).rejects.toMatchObject({ kind: 'server' });
});

test('of an error in 21 parts 20 are read', async () => {
  const detail = Array.from({ length: 21 }, (_, at) => ({ loc: ['body', `m${at}`], msg: 'no' }));
  const { baseURL } = await startModelServer([{ status: 422, body: { detail } }]);
  const failed = await openAIClient({ ...target, baseURL })
    .complete(ASK)
    .catch((error: Error) => error.message);
  expect(failed).toContain('body.m19: no');
  expect(failed).not.toContain('m20');
});

test('of 21 odd words 20 are told, each once', async () => {
  const { baseURL } = await startModelServer(({ body }) => ({
    events: chatEvents(['yes'], (body['messages'] as { content: string }[])[0]?.content),
  }));
  const client = openAIClient({ ...target, baseURL });
  const notes: string[] = [];
  const ask = (at: number) =>
    client.complete({ messages: [{ role: 'user', content: `odd-${at}` }] }, { onNote: (note) => notes.push(note) });
  for (let at = 0; at < 21; at++) await ask(at);
  await ask(0);
  expect(notes).toHaveLength(20);
  expect(notes[3]).toMatch(/^tiny at http.* ends a reply with "odd-3"; that is read as "stop"$/);
});
