/** The errors of the client of a model server, as a `ModelError`, and after how long the server will hear a request again. */

import { cutCharacters, durationText, messageOf, oneLine } from '../plan/text/index.ts';
import { ModelError, type ModelErrorKind } from './model-error.ts';
import type { Secret } from './secret.ts';
import type { ServerWords } from './server-words.ts';

/** Characters of what a server says: some answer with a whole page. */
const MAX_SERVER_TEXT = 500;

export interface Place {
  /** The model and where it is, as errors name it: `gpt at https://api.example.com/v1`. */
  readonly place: string;
  readonly secret: Secret;
}

/** The error of a network before there was an answer. */
export function unreached(thrown: unknown, at: Place): ModelError {
  if (IS_LATE.test(nameOf(rootCause(thrown)))) return failure('timeout', 'did not answer in time', at);
  return failure('connection', `cannot be reached: ${rootOf(thrown)}`, at);
}

/** The error of an answer that has begun: of the network, or half an event at its end (SyntaxError). */
export function brokenOff(thrown: unknown, at: Place): ModelError {
  if (IS_LATE.test(nameOf(rootCause(thrown)))) return failure('timeout', `went silent: ${rootOf(thrown)}`, at);
  return failure('cut-stream', `broke off its answer: ${rootOf(thrown)}`, at);
}

const IS_LATE = /timeout/i;

/** Whether the request cannot have reached the server, and so cost nothing. */
export function isUnsent(thrown: unknown): boolean {
  const { code } = (rootCause(thrown) ?? {}) as { code?: unknown };
  return typeof code === 'string' && UNSENT.test(code);
}

const UNSENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|.*CERT.*|ERR_TLS_.*|EPROTO)$/;

/** An error that the server itself has told. */
export function serverError(words: ServerWords, at: Place): ModelError {
  const { status, headers } = words;
  const kind = kindOf(words);
  const retryAfterMs = retryAfterOf(headers);
  const said = words.message === '' ? 'and says nothing' : `and says: ${words.message}`;
  const pause = retryAfterMs === undefined ? '' : `, asks for a pause of ${durationText(retryAfterMs)}`;
  const what = status === undefined ? `failed while it answered ${said}` : `answered ${status}${pause} ${said}`;
  return failure(kind, what, at, {
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(kind !== 'quota' && toldSeverity(headers)),
  });
}

function failure(
  kind: ModelErrorKind,
  what: string,
  { place, secret }: Place,
  options: ConstructorParameters<typeof ModelError>[2] = {},
): ModelError {
  // First the key, then the cut, which could leave half of it.
  return new ModelError(kind, cutCharacters(oneLine(secret.hideIn(`${place} ${what}`)), MAX_SERVER_TEXT), options);
}

/** Some servers say whether to try again; they know better than the number. */
function toldSeverity(headers: Headers | undefined): { severity?: 'RETRIABLE' | 'CRITICAL' } {
  const told = headers?.get('x-should-retry');
  if (told === 'true') return { severity: 'RETRIABLE' };
  return told === 'false' ? { severity: 'CRITICAL' } : {};
}

const CODES: readonly (readonly [kind: ModelErrorKind, codes: RegExp])[] = [
  ['quota', /^(?:insufficient_quota|insufficient_balance|billing_\w+)$/],
  ['context-too-long', /^(?:context_length_exceeded|exceed_context_size_error|string_above_max_length)$/],
  ['content-filter', /^(?:content_filter|content_policy_violation|image_content_policy_violation|bio_policy)$/],
  ['rate-limit', /^(?:rate_limit_exceeded|rate_limit_error|too_many_requests)$/],
  ['auth', /^(?:invalid_api_key|authentication_error|permission_error)$/],
];
const TOO_LONG = /context (?:length|window|size)|maximum context|prompt is too long|too many (?:input )?tokens/i;

function kindOf({ status, codes, message }: ServerWords): ModelErrorKind {
  const told = CODES.find(([, pattern]) => codes.some((code) => pattern.test(code)));
  if (told !== undefined) return told[0];
  // In a stream there is no status: a server that has begun to answer has taken the request.
  if (status === undefined || status >= 500 || status === 409) return 'server';
  if (status === 429) return 'rate-limit';
  if (status === 408) return 'timeout';
  if (status === 401 || status === 403) return 'auth';
  if (status === 402) return 'quota';
  if (status === 413 || TOO_LONG.test(message)) return 'context-too-long';
  return 'bad-request';
}

/** The cause below `fetch failed`, in words. */
function rootOf(thrown: unknown): string {
  return messageOf(rootCause(thrown));
}

function rootCause(thrown: unknown): unknown {
  let root = thrown;
  for (let depth = 0; depth < MAX_CAUSES && root instanceof Error && root.cause !== undefined; depth++)
    root = root.cause;
  return root;
}

const MAX_CAUSES = 5;

function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : '';
}

/** No server is waited for longer: a run has deadlines of its own, and a date far away is more often a mistake. */
export const MAX_RETRY_AFTER_MS = 10 * 60 * 1000;

/** `2`, `2.5`: seconds. A date has letters. */
const NUMBER = /^\d+(?:\.\d+)?$/;

/**
 * Milliseconds, at most 10 minutes: `retry-after-ms`, else `Retry-After`, in seconds or as a date (RFC 9110). Undefined
 * where the server says nothing that can be read. A date that has passed is 0.
 */
export function retryAfterOf(headers: Headers | undefined, now = Date.now()): number | undefined {
  const ms = headers?.get('retry-after-ms')?.trim() ?? '';
  if (NUMBER.test(ms)) return bounded(Number(ms));
  const after = headers?.get('retry-after')?.trim() ?? '';
  if (NUMBER.test(after)) return bounded(Number(after) * 1000);
  const date = Date.parse(after);
  return Number.isNaN(date) || !/[a-z]/i.test(after) ? undefined : bounded(date - now);
}

function bounded(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms), 0), MAX_RETRY_AFTER_MS);
}
