/** The errors of a call to a model, and what follows from each. docs/errors.md lists the kinds; a test compares. */

import { given, type ErrorClass } from '../protocol/index.ts';
import type { ModelUsage } from './model-client.ts';

/**
 * The classes are Osprey's. RETRIABLE is what the same request can pass another time. REPLANNING is what only another
 * request can pass: the same one is answered from the journal, and would fail again. CRITICAL waits for a person. `cancelled`
 * is RETRIABLE since a worker that shuts down cancels too, and Temporal tries nothing again that a person has cancelled.
 */
const KINDS = {
  connection: ['RETRIABLE', 'The model server cannot be reached. Check that it runs, and the base URL.'],
  timeout: ['RETRIABLE', 'The model server took too long. Try again, ask for less, or raise the timeout of the model.'],
  'rate-limit': ['RETRIABLE', 'The model server has had too many requests. It is asked again later.'],
  quota: ['CRITICAL', 'The account at the model server has no credit left. Add some, or name another key.'],
  server: ['RETRIABLE', 'The model server has failed. It is asked again later.'],
  auth: ['CRITICAL', 'The model server does not accept the key. Set the right one, or one that may use this model.'],
  'bad-request': ['CRITICAL', 'The model server does not take the request. Check its name, base URL, api and format.'],
  'context-too-long': ['CRITICAL', 'The model cannot read so much. Give it less, or name one with a larger context.'],
  refusal: ['CRITICAL', 'The model has refused. Put the goal in other words.'],
  'content-filter': ['CRITICAL', 'The content filter of the model server stopped it. Put the goal in other words.'],
  'cut-off': ['REPLANNING', 'The reply is longer than the model may write. Allow it more tokens, or ask for less.'],
  'format-not-kept': [
    'REPLANNING',
    'The model broke the format. Ask again, or set the format that its server can keep.',
  ],
  'malformed-reply': [
    'CRITICAL',
    'The model server has sent what is no reply. Look at the server, or name another one.',
  ],
  'cut-stream': ['RETRIABLE', 'The model server broke off before the reply was whole. It is asked again.'],
  cancelled: ['RETRIABLE', 'The call was stopped from this side.'],
  'not-journaled': [
    'RETRIABLE',
    'The reply is paid for and not kept. Make the store writable: this process has it still.',
  ],
} as const satisfies Readonly<Record<string, readonly [ErrorClass, forPeople: string]>>;

/** Replies of the model or its server: the same request gets them again, from the journal, and is not bought twice. */
const REPLIES: readonly string[] = ['refusal', 'content-filter', 'cut-off', 'format-not-kept', 'malformed-reply'];

/**
 * The kind of a `ModelError`, one of `MODEL_ERROR_KINDS`, such as `rate-limit` or `refusal`. Whether a call is tried
 * again follows from it.
 */
export type ModelErrorKind = keyof typeof KINDS;

/** Every kind of a `ModelError`. docs/errors.md says what to do about each. */
export const MODEL_ERROR_KINDS = Object.keys(KINDS) as readonly ModelErrorKind[];

/** The facts of a `ModelError` beside its kind and its message. */
export interface ModelErrorOptions {
  /** Milliseconds after which the server will hear the request again. */
  readonly retryAfterMs?: number | undefined;
  /** Set if the server has told in so many words whether to try again; default as the kind has it. */
  readonly severity?: ErrorClass | undefined;
  /** The usage of the call, where it was bought; reckoned where it was lost or cut. */
  readonly usage?: ModelUsage | undefined;
  /** The text of the model, where it was not what was asked for. */
  readonly text?: string | undefined;
  /** Never what a client of a server threw: it holds headers. */
  readonly cause?: unknown;
}

/**
 * The error of a call to a model. `message` says what happened, with the words of the server, cut and without keys;
 * `forPeople` what to do. An error that has a `usage` was paid for.
 * @example if (error instanceof ModelError && error.kind === 'quota') tell(error.forPeople);
 */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  readonly severity: ErrorClass;
  readonly forPeople: string;
  readonly retryAfterMs?: number;
  readonly usage?: ModelUsage;
  /** The text of the model, whole, where it was not what was asked for. */
  readonly text?: string;
  constructor(kind: ModelErrorKind, message: string, { cause, severity, ...facts }: ModelErrorOptions = {}) {
    super(message, cause === undefined ? {} : { cause });
    const [usual, forPeople] = KINDS[kind];
    this.kind = kind;
    this.severity = severity ?? usual;
    this.forPeople = forPeople;
    Object.assign(this, given(facts));
  }
}

/** Whether this is how the model has answered, paid for: asked again it would say the same. */
export function isPaidReply(error: unknown): error is ModelError & { readonly usage: ModelUsage } {
  return error instanceof ModelError && error.usage !== undefined && REPLIES.includes(error.kind);
}
