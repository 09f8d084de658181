import { durationMs, isRecord } from '../protocol/index.ts';
import { cutCharacters, durationText, messageOf, oneLine } from '../plan/text/index.ts';
import { ModelError, type ModelErrorKind, type ModelErrorOptions } from './model-error.ts';

/** Maximum length of a server's error, in characters. Some servers answer with a whole web page. */
const MAX_SERVER_TEXT = 500;
const MAX_DETAILS = 20;

export interface ServerWords {
  readonly status?: number | undefined;
  readonly codes: readonly string[];
  /** The rejected member of the request, such as `temperature`, `tools[0].function.strict` or `body.seed`. */
  readonly param?: string | undefined;
  readonly message: string;
  readonly headers?: Headers | undefined;
}

/** The kinds of errors. The first row with a matching code counts, or else the first row with the status. */
const KINDS: readonly (readonly [kind: ModelErrorKind, codes: RegExp | undefined, statuses: readonly number[]])[] = [
  ['quota', /^(?:insufficient_quota|insufficient_balance|billing_\w+)$/, [402]],
  ['context-too-long', /^(?:context_length_exceeded|exceed_context_size_error|string_above_max_length)$/, [413]],
  ['content-filter', /^(?:content_filter|content_policy_violation|image_content_policy_violation|bio_policy)$/, []],
  ['rate-limit', /^(?:rate_limit_exceeded|rate_limit_error|too_many_requests)$/, [429]],
  ['auth', /^(?:invalid_api_key|authentication_error|permission_error)$/, [401, 403]],
  ['timeout', undefined, [408]],
  ['server', undefined, [409]],
];
const TOO_LONG = /context (?:length|window|size)|maximum context|prompt is too long|too many (?:input )?tokens/i;

function errorKind({ status, codes, message }: ServerWords): ModelErrorKind {
  const match = KINDS.find(([, pattern]) => pattern !== undefined && codes.some((code) => pattern.test(code)));
  // If an error in a stream has no status, the request was accepted and the server failed later.
  if (match === undefined && (status === undefined || status >= 500)) return 'server';
  const [kind] = match ?? KINDS.find(([, , statuses]) => statuses.includes(status ?? 0)) ?? [];
  return kind ?? (TOO_LONG.test(message) ? 'context-too-long' : 'bad-request');
}

/**
 * Reads a server's error: `{ message, code, type, param }` (OpenAI), a text (Ollama), a list of errors (Gemini), `{
 * detail: "words" }` and `{ detail: [{ loc, msg }] }` (FastAPI), `{ object: "error", message }` (vLLM, Mistral).
 */
export function serverWordsOf(body: unknown): ServerWords {
  const [first] = Array.isArray(body) && body.length === 1 ? (body as unknown[]) : [body];
  const error = isRecord(first) ? (first['error'] ?? first) : first;
  const { code, type, status, param, detail, loc } = isRecord(error) ? error : {};
  const number = Number(code);
  const [part] = Array.isArray(detail) ? (detail as unknown[]) : [{ loc }];
  const place = isRecord(part) && Array.isArray(part['loc']) ? part['loc'].join('.') : undefined;
  return {
    status: number >= 400 && number < 600 ? number : undefined,
    codes: [code, type, status].filter((one) => typeof one === 'string'),
    param: typeof param === 'string' && param !== '' ? param : place,
    message: sayingOf(first),
  };
}

function sayingOf(body: unknown): string {
  if (typeof body === 'string') return body;
  if (Array.isArray(body)) return body.slice(0, MAX_DETAILS).map(sayingOf).join('; ');
  if (!isRecord(body)) return '';
  const { loc, metadata, message = body['error'] ?? body['detail'] ?? body['msg'] } = body;
  const isSaid = typeof message === 'string' || typeof message === 'object';
  const text = isSaid ? sayingOf(message) : Object.keys(body).length === 0 ? '' : JSON.stringify(body);
  const raw = isRecord(metadata) && metadata['raw'] !== undefined ? [sayingOf(metadata['raw'])] : [];
  return [...(Array.isArray(loc) ? [loc.join('.')] : []), text, ...raw].filter((part) => part !== '').join(': ');
}

/** Makes the error that a server has reported. `fail` adds the name of the server and removes keys. */
export function serverError(words: ServerWords, fail: Failing): ModelError {
  const { status, headers, message } = words;
  const kind = errorKind(words);
  const retryAfterMs = retryAfterOf(headers) ?? (kind === 'rate-limit' ? resetOf(headers, message) : undefined);
  const reason = message === '' ? 'and says nothing' : `and says: ${message}`;
  const pause = retryAfterMs === undefined ? '' : `, asks for a pause of ${durationText(retryAfterMs)}`;
  const what = status === undefined ? `failed while it answered ${reason}` : `answered ${status}${pause} ${reason}`;
  // Some servers say in a header whether to retry. The header is more reliable than their status.
  const again = headers?.get('x-should-retry');
  const severity = again === 'true' ? 'RETRIABLE' : again === 'false' ? 'CRITICAL' : undefined;
  return fail(kind, what, { retryAfterMs, ...(kind !== 'quota' && { severity }) });
}

export type Failing = (kind: ModelErrorKind, what: string, options?: ModelErrorOptions) => ModelError;

/** Makes errors that name the server. @param hide removes keys, before the text is cut */
export function failingAt(place: string, hide: (text: string) => string): Failing {
  return (kind, what, options) =>
    new ModelError(kind, cutCharacters(oneLine(hide(`${place} ${what}`)), MAX_SERVER_TEXT), options);
}

export function networkError(thrown: unknown, isAnswering: boolean, fail: Failing): ModelError {
  const root = rootOf(thrown);
  const isLate = root instanceof Error && /timeout/i.test(root.name);
  if (isAnswering && isLate) return fail('timeout', `went silent: ${messageOf(root)}`);
  if (isAnswering) return fail('cut-stream', `broke off its answer: ${messageOf(root)}`);
  return isLate
    ? fail('timeout', 'did not answer in time')
    : fail('connection', `cannot be reached: ${messageOf(root)}`);
}

/** Whether the request was certainly not sent: there was no connection, or the server's certificate was rejected. */
export function isUnsent(thrown: unknown): boolean {
  const { code, syscall } = (rootOf(thrown) ?? {}) as { code?: unknown; syscall?: unknown };
  return syscall === 'connect' || syscall === 'getaddrinfo' || (typeof code === 'string' && UNSENT.test(code));
}

// Excludes ERR_SSL_: with such an alert, a server may reject the client's certificate after the request was sent.
const UNSENT =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_\w+|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_CERT_\w+|ERR_SSL_WRONG_VERSION_NUMBER|UNABLE_TO_\w+|(?!ERR_SSL_).*CERT.*)$/;

function rootOf(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.cause !== undefined ? rootOf(thrown.cause) : thrown;
}

const NUMBER = /^\d+(?:\.\d+)?$/;

/** The pause in ms that a server asks for by `retry-after-ms` or `Retry-After` (RFC 9110); 0 if the time is past. */
export function retryAfterOf(headers: Headers | undefined, now = Date.now()): number | undefined {
  const [ms = '', after = ''] = ['retry-after-ms', 'retry-after'].map((name) => headers?.get(name)?.trim());
  const date = /[a-z]/i.test(after) ? Date.parse(after) - now : Number.NaN;
  const pause = NUMBER.test(ms) ? Number(ms) : NUMBER.test(after) ? Number(after) * 1000 : date;
  return Number.isFinite(pause) ? Math.ceil(Math.max(pause, 0)) : undefined;
}

const SAID =
  /(?:again|retry|wait)[^\d.]{1,15}((?:\d+(?:\.\d+)?\s?(?:(?:millisecond|second|minute)s?|m?s|m|h)(?![a-z]))+)/i;
/** Larger numbers of seconds in a header are times since 1970, not durations. */
const EPOCH_S = 1e9;

/** The pause in milliseconds that a server's message names, or else the time until its rate limit resets. */
function resetOf(headers: Headers | undefined, message: string, now = Date.now()): number | undefined {
  const [, pauseText = ''] = SAID.exec(message) ?? [];
  const inWords = durationMs(
    pauseText.replaceAll(/\s|(?<=\d\s?(?:s|m))(?:econd|inute)s?/gi, '').replace(/milliseconds?/i, 'ms'),
  );
  const left = (what: string) => Number(headers?.get(`x-ratelimit-remaining${what}`) ?? 0);
  const pauses = ['-requests', '-tokens', ''].flatMap((what) => {
    const text = headers?.get(`x-ratelimit-reset${what}`)?.trim() ?? '';
    const seconds = NUMBER.test(text) ? Number(text) : undefined;
    const ms = seconds === undefined ? durationMs(text) : seconds * 1000 - (seconds < EPOCH_S ? 0 : now);
    return ms === undefined || left(what) > 0 ? [] : [Math.max(0, Math.ceil(ms))];
  });
  return inWords ?? (pauses.length === 0 ? undefined : Math.max(...pauses));
}
