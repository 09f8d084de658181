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

  const used = (what: string, reset: string, remaining = '0') => ({
    [`x-ratelimit-reset-${what}`]: reset,
    [`x-ratelimit-remaining-${what}`]: remaining,
  });
  test.each<[name: string, headers: Record<string, string>, message: string, ms: number | undefined]>([
    ['the reset of requests', used('requests', '4s'), 'Rate limit reached', 4000],
    ['minutes', used('tokens', '6m0s'), '', 360_000],
    ['only of what is used up', { ...used('requests', '4s'), ...used('tokens', '6m0s', '12') }, '', 4000],
    ['a number of seconds', { 'x-ratelimit-reset': '3' }, '', 3000],
    ['a time that has passed', { 'x-ratelimit-reset': '1700000000' }, '', 0],
    ['words', {}, 'Please try again in 4.2s. Visit', 4200],
    ['words in milliseconds', {}, 'Please try again in 850ms.', 850],
    ['words with minutes', {}, 'try again in 1m2.5s', 62_500],
    ['words in full', {}, 'Please retry after 20 seconds', 20_000],
    ['Retry-After before both', { 'retry-after': '7', ...used('requests', '4s') }, 'try again in 2s', 7000],
    ['no number', used('requests', 'soon'), 'try again later, 4 times', undefined],
  ])('of a rate limit it is read elsewhere too: %s', async (_, headers, message, ms) => {
    expect((await told({ status: 429, headers, message })).retryAfterMs).toBe(ms);
    const other = (await told({ status: 500, headers, message })).retryAfterMs;
    expect(other).toBe('retry-after' in headers ? ms : undefined);
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
