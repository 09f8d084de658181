/** Which kind of error a server means, what follows from it, and when to ask again. */

import { describe, expect, test } from 'vitest';
import { ERROR_CLASSES } from '../../src/protocol/index.ts';
import { MODEL_ERROR_KINDS, ModelError } from '../../src/models/index.ts';
import { MAX_RETRY_AFTER_MS, retryAfterOf, serverError } from '../../src/models/server-failure.ts';
import type { ServerWords } from '../../src/models/server-words.ts';
import { createSecret } from '../../src/models/secret.ts';

const at = { place: 'tiny at http://here/v1', secret: createSecret(undefined) };
const told = (words: Partial<ServerWords>) => serverError({ codes: [], message: '', ...words }, at);

test.each<[kind: string, severity: string, words: Partial<ServerWords>]>([
  ['bad-request', 'CRITICAL', { status: 400 }],
  ['bad-request', 'CRITICAL', { status: 400, codes: ['server_error'] }],
  ['bad-request', 'CRITICAL', { status: 404, codes: ['model_not_found'] }],
  ['bad-request', 'CRITICAL', { status: 422 }],
  ['auth', 'CRITICAL', { status: 401 }],
  ['auth', 'CRITICAL', { status: 403 }],
  ['auth', 'CRITICAL', { status: 400, codes: ['invalid_api_key'] }],
  ['quota', 'CRITICAL', { status: 402 }],
  ['quota', 'CRITICAL', { status: 429, codes: ['insufficient_quota'] }],
  [
    'quota',
    'CRITICAL',
    { status: 429, codes: ['billing_hard_limit_reached'], headers: new Headers({ 'x-should-retry': 'true' }) },
  ],
  ['rate-limit', 'RETRIABLE', { status: 429, codes: ['rate_limit_exceeded'] }],
  // Some servers say of every rate limit that a quota is exceeded.
  ['rate-limit', 'RETRIABLE', { status: 429, message: 'You exceeded your current quota' }],
  ['timeout', 'RETRIABLE', { status: 408 }],
  ['server', 'RETRIABLE', { status: 409 }],
  ['server', 'RETRIABLE', { status: 500 }],
  ['server', 'RETRIABLE', { status: 529, codes: ['overloaded_error'] }],
  ['server', 'CRITICAL', { status: 500, headers: new Headers({ 'x-should-retry': 'false' }) }],
  ['bad-request', 'RETRIABLE', { status: 400, headers: new Headers({ 'x-should-retry': 'true' }) }],
  ['context-too-long', 'CRITICAL', { status: 400, codes: ['context_length_exceeded'] }],
  ['context-too-long', 'CRITICAL', { status: 400, codes: ['exceed_context_size_error'] }],
  ['context-too-long', 'CRITICAL', { status: 400, message: 'maximum context length is 8192 tokens' }],
  ['context-too-long', 'CRITICAL', { status: 413 }],
  ['content-filter', 'CRITICAL', { status: 400, codes: ['content_filter'] }],
])('Osprey: error severities of model servers: %s is %s: %j', (kind, severity, words) => {
  expect(told(words)).toMatchObject({ kind, severity });
});

test('every kind has a class and a sentence for people', () => {
  for (const kind of MODEL_ERROR_KINDS) {
    const error = new ModelError(kind, 'it failed');
    expect(ERROR_CLASSES).toContain(error.severity);
    expect(error.forPeople).toMatch(/^The .*\.$/);
  }
});

test('what a server says is cut, on one line, and visible', () => {
  const { message } = told({ status: 500, message: `a\n\u202eb ${'long '.repeat(1000)}` });
  expect(message).toContain('tiny at http://here/v1 answered 500 and says: a \\u202eb long');
  expect(message.length).toBeLessThanOrEqual(500);
});

const NOW = Date.parse('2026-01-01T00:00:00Z');
const DATE = 'Thu, 01 Jan 2026 00:00:30 GMT';
describe('RFC 9110: Retry-After', () => {
  test.each<[name: string, headers: Record<string, string>, ms: number | undefined]>([
    ['seconds', { 'retry-after': '7' }, 7000],
    ['parts of seconds', { 'retry-after': '0.25' }, 250],
    ['a date', { 'retry-after': DATE }, 30_000],
    ['a date that has passed', { 'retry-after': 'Thu, 01 Jan 2020 00:00:00 GMT' }, 0],
    ['milliseconds win', { 'retry-after-ms': '120', 'retry-after': '7' }, 120],
    ['milliseconds that are none', { 'retry-after-ms': 'soon', 'retry-after': '7' }, 7000],
    ['a bound for seconds', { 'retry-after': '86400' }, MAX_RETRY_AFTER_MS],
    ['a bound for dates', { 'retry-after': 'Thu, 01 Jan 2099 00:00:00 GMT' }, MAX_RETRY_AFTER_MS],
    ['nothing', {}, undefined],
    ['a word', { 'retry-after': 'soon' }, undefined],
    ['less than nothing', { 'retry-after': '-5' }, undefined],
  ])('%s', (_, headers, ms) => {
    expect(retryAfterOf(new Headers(headers), NOW)).toBe(ms);
  });

  test('is told with the error', () => {
    const headers = new Headers({ 'retry-after': '3' });
    expect(told({ status: 429, headers }).retryAfterMs).toBe(3000);
    expect(told({ status: 503, headers }).retryAfterMs).toBe(3000);
    expect(told({ status: 429, headers }).message).toContain(
      'answered 429, asks for a pause of 3.0 s and says nothing',
    );
  });
});
