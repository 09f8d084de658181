/** The errors of a call to a model, and their classes. */

import { given, type ErrorClass } from '../protocol/index.ts';
import type { ModelUsage } from './model-client.ts';

/**
 * The `kind` of a `ModelError` with its class. A server that says whether to retry (`x-should-retry`) decides the
 * class, except for `quota`. `refusal`, `content-filter`, `cut-off`, `format-not-kept` and `malformed-reply` have a
 * `usage`: they were paid for, are journaled, and come again for the same request. Lost or cut calls have an estimated
 * `usage` and are not journaled. The classes are Osprey's: RETRIABLE, the same request may succeed later; REPLANNING,
 * only another request can succeed; CRITICAL, a person must act. `cancelled` is RETRIABLE since a worker that shuts
 * down cancels too, and Temporal does not retry what a person cancelled.
 */
const KINDS = {
  /** The model server cannot be reached. @fix Check that it runs, and the base URL. */
  connection: ['RETRIABLE', 'The model server cannot be reached. Check that it runs, and the base URL.'],
  /**
   * A call took too long, said nothing for too long, or waited too long for its turn. @fix Raise the timeout, or ask
   * for less.
   */
  timeout: ['RETRIABLE', 'The model server took too long. Try again, ask for less, or raise the timeout of the model.'],
  /** The server has had too many requests (429). @fix It is asked again after the pause that it asks for. */
  'rate-limit': ['RETRIABLE', 'The model server has had too many requests. It is asked again later.'],
  /** The account has no credit left (402, `insufficient_quota`). @fix Add some, or name another key. */
  quota: ['CRITICAL', 'The account at the model server has no credit left. Add some, or name another key.'],
  /** The server has failed (5xx, 409, or in the middle of an answer). @fix It is asked again. */
  server: ['RETRIABLE', 'The model server has failed. It is asked again later.'],
  /** The server does not accept the key (401, 403). @fix Set the right one. */
  auth: ['CRITICAL', 'The model server does not accept the key. Set the right one, or one that may use this model.'],
  /**
   * The server does not take the request (400, 404, 422 ...) even without the members that it names, or it cannot be
   * sent. @fix Follow the message.
   */
  'bad-request': ['CRITICAL', 'The model server does not take the request. Check its name, base URL, api and format.'],
  /** The request is longer than the model can read. @fix Give it less, or name another model. */
  'context-too-long': ['CRITICAL', 'The model cannot read so much. Give it less, or name one with a larger context.'],
  /** Asked for a format, the model refused. @fix Put the goal in other words. */
  refusal: ['CRITICAL', 'The model has refused. Put the goal in other words.'],
  /** A content filter has stopped the reply, or the request. @fix Put the goal in other words. */
  'content-filter': ['CRITICAL', 'The content filter of the model server stopped it. Put the goal in other words.'],
  /**
   * Asked for a format, the model came to the end of its tokens; or it wrote more than `replyBytes`. @fix Allow it
   * more, or ask for less.
   */
  'cut-off': ['REPLANNING', 'The reply is longer than the model may write. Allow it more tokens, or ask for less.'],
  /** Asked for a format, the model wrote something else. @fix Ask again, or set the format that the server keeps. */
  'format-not-kept': [
    'REPLANNING',
    'The model broke the format. Ask again, or set the format that its server can keep.',
  ],
  /**
   * The server sent what is no reply: a piece that does not fit or is no JSON, two answers, a call that names no
   * tool, more than 128 calls, arguments of more than 64 levels. It counts as paid, and is never told to the model. @fix Look at the server, or
   * name another one.
   */
  'malformed-reply': [
    'CRITICAL',
    'The model server has sent what is no reply. Look at the server, or name another one.',
  ],
  /** The answer ended before it was whole. @fix It is asked again. */
  'cut-stream': ['RETRIABLE', 'The model server broke off before the reply was whole. It is asked again.'],
  /** The call was stopped from this side. @fix It is made again, unless a person cancelled it. */
  cancelled: ['RETRIABLE', 'The call was stopped from this side.'],
  /**
   * The reply was paid for, and the store did not take it. @fix Make the store writable: this process still has the
   * reply.
   */
  'not-journaled': [
    'RETRIABLE',
    'The reply is paid for and not kept. Make the store writable: this process has it still.',
  ],
} as const satisfies Readonly<Record<string, readonly [ErrorClass, forPeople: string]>>;

/** Replies of the model or its server: the same request gets them from the journal and is not bought twice. */
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
  /** Milliseconds until the server accepts the request again. */
  readonly retryAfterMs?: number | undefined;
  /** Set if the server says whether to retry; default by the kind. */
  readonly severity?: ErrorClass | undefined;
  /** The usage of a paid call; estimated if it was lost or cut. */
  readonly usage?: ModelUsage | undefined;
  /** The text of the model, if it was not what was requested. */
  readonly text?: string | undefined;
  /** Never the exception of a server's client: it contains headers. */
  readonly cause?: unknown;
}

/**
 * The error of a call to a model. `message` says what happened, with the server's words, cut and without keys;
 * `forPeople` says what to do. An error with a `usage` was paid for.
 * @example if (error instanceof ModelError && error.kind === 'quota') tell(error.forPeople);
 */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  readonly severity: ErrorClass;
  readonly forPeople: string;
  readonly retryAfterMs?: number;
  readonly usage?: ModelUsage;
  /** The text of the model, complete, if it was not what was requested. */
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

/** Whether the model answered so and was paid: the same request would get the same reply. */
export function isPaidReply(error: unknown): error is ModelError & { readonly usage: ModelUsage } {
  return error instanceof ModelError && error.usage !== undefined && REPLIES.includes(error.kind);
}
