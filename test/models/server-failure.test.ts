/** Which kind of error a server means, what follows from it, and when to ask again. */

import { describe, expect, test } from 'vitest';
import { ERROR_CLASSES } from '../../src/protocol/index.ts';
import { MODEL_ERROR_KINDS, ModelError } from '../../src/models/index.ts';
import { startClient } from '../support/model-client.ts';

interface Told {
  readonly status: number;
  readonly code?: string;
  readonly message?: string;
  readonly headers?: Record<string, string>;
}

/** The error of a server that answers so. */
async function told({ status, headers = {}, ...error }: Told): Promise<ModelError> {
  const { failing } = await startClient([{ status, headers, body: { error } }]);
  return failing({ messages: [{ role: 'user', content: 'How many?' }] });
}

test.each<[kind: string, severity: string, words: Told]>([
  ['bad-request', 'CRITICAL', { status: 400 }],
  ['bad-request', 'CRITICAL', { status: 400, code: 'server_error' }],
  ['bad-request', 'CRITICAL', { status: 404, code: 'model_not_found' }],
  ['bad-request', 'CRITICAL', { status: 422 }],
  ['auth', 'CRITICAL', { status: 401 }],
  ['auth', 'CRITICAL', { status: 403 }],
  ['auth', 'CRITICAL', { status: 400, code: 'invalid_api_key' }],
  ['quota', 'CRITICAL', { status: 402 }],
  ['quota', 'CRITICAL', { status: 429, code: 'insufficient_quota' }],
  ['quota', 'CRITICAL', { status: 429, code: 'billing_hard_limit_reached', headers: { 'x-should-retry': 'true' } }],
  ['rate-limit', 'RETRIABLE', { status: 429, code: 'rate_limit_exceeded' }],
  // Some servers say of every rate limit that a quota is exceeded.
  ['rate-limit', 'RETRIABLE', { status: 429, message: 'You exceeded your current quota' }],
  ['timeout', 'RETRIABLE', { status: 408 }],
  ['server', 'RETRIABLE', { status: 409 }],
  ['server', 'RETRIABLE', { status: 500 }],
  ['server', 'RETRIABLE', { status: 529, code: 'overloaded_error' }],
  ['server', 'CRITICAL', { status: 500, headers: { 'x-should-retry': 'false' } }],
  ['bad-request', 'RETRIABLE', { status: 400, headers: { 'x-should-retry': 'true' } }],
  ['context-too-long', 'CRITICAL', { status: 400, code: 'context_length_exceeded' }],
  ['context-too-long', 'CRITICAL', { status: 400, code: 'exceed_context_size_error' }],
  ['context-too-long', 'CRITICAL', { status: 400, message: 'maximum context length is 8192 tokens' }],
  ['context-too-long', 'CRITICAL', { status: 413 }],
  ['content-filter', 'CRITICAL', { status: 400, code: 'content_filter' }],
])('Osprey: error severities of model servers: %s is %s: %j', async (kind, severity, words) => {
  expect(await told(words)).toMatchObject({ kind, severity });
});

test('every kind has a class and a sentence for people', () => {
  for (const kind of MODEL_ERROR_KINDS) {
    const error = new ModelError(kind, 'it failed');
    expect(ERROR_CLASSES).toContain(error.severity);
    expect(error.forPeople).toMatch(/^The .*\.$/);
  }
});

test('what a server says is cut, on one line, and visible', async () => {
  const { message } = await told({ status: 500, message: `a\n\u202eb ${'long '.repeat(1000)}` });
  expect(message).toMatch(/^tiny at http.* answered 500 and says: a \\u202eb long/);
  expect(message.length).toBeLessThanOrEqual(500);
});

describe('RFC 9110: Retry-After', () => {
  test.each<[name: string, headers: Record<string, string>, ms: number | undefined]>([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['parts of seconds', { 'retry-after': '0.25' }, 250],
    ['three hours', { 'retry-after': '10800' }, 10_800_000],
    ['a date that has passed', { 'retry-after': 'Thu, 01 Jan 2020 00:00:00 GMT' }, 0],
    ['milliseconds win', { 'retry-after-ms': '120', 'retry-after': '7' }, 120],
    ['milliseconds that are none', { 'retry-after-ms': 'soon', 'retry-after': '7' }, 7000],
    ['nothing', {}, undefined],
    ['a word', { 'retry-after': 'soon' }, undefined],
    ['less than nothing', { 'retry-after': '-5' }, undefined],
  ])('%s', async (_, headers, ms) => {
    expect((await told({ status: 503, headers })).retryAfterMs).toBe(ms);
  });

  test('a date to come is a pause', async () => {
    const headers = { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() };
    const { retryAfterMs = 0 } = await told({ status: 429, headers });
    expect(retryAfterMs).toBeGreaterThan(3_000_000);
    expect(retryAfterMs).toBeLessThanOrEqual(3_600_000);
  });

  test('is told with the error, in the words of the server', async () => {
    const { message } = await told({ status: 429, headers: { 'retry-after': '10800' } });
    expect(message).toMatch(/answered 429, asks for a pause of 3 h.* and says nothing$/);
  });
});
