/** One beyond each bound of a call to a model: docs/bounds.md says what happens then. */

import { expect, test, vi } from 'vitest';
import { openAIClient } from '../../../src/model/index.ts';
import { lineOf } from '../../../src/model/call-line.ts';
import { readReply } from '../../../src/model/pieces.ts';
import { readShape } from '../../../src/model/shape.ts';
import { retried } from '../../../src/loop/retry-call.ts';
import { modelError, USAGE } from '../../support/scripted-planner.ts';

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
  for (let at = 0; at < 9; at++) void line.through(() => new Promise(() => void (begun += 1)));
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
  const shape = readShape({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
    required: names,
  });
  const told = shape.ok ? (shape.problemOf({}) ?? '') : '';
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
