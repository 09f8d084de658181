import { given, type ErrorClass } from '../protocol/index.ts';
import type { ModelUsage } from './model-client.ts';

/**
 * The class of each `kind` of a `ModelError`, as Osprey defines classes: RETRIABLE, the same request may succeed later;
 * REPLANNING, only another request can; CRITICAL, a person must act. A server that says whether to retry
 * (`x-should-retry`) decides the class, except for `quota`. `refusal`, `content-filter`, `cut-off`, `format-not-kept`
 * and `malformed-reply` have a `usage`: they were paid for, are stored, and come again for the same request. A lost or
 * incomplete reply has an estimated `usage` and is not stored. `cancelled` is RETRIABLE, since a worker that shuts down
 * also cancels calls.
 */
const KINDS = {
  /** The model server cannot be reached. @fix Check that it runs, and the base URL. */
  connection: ['RETRIABLE', 'The model server cannot be reached. Check that it runs, and the base URL.'],
  /** A call took too long, sent nothing for too long, or waited too long. @fix Raise the timeout, or ask for less. */
  timeout: ['RETRIABLE', 'The model server took too long. Try again, ask for less, or raise the timeout of the model.'],
  /** The server has received too many requests (429). @fix Planwright repeats the request after a pause. */
  'rate-limit': ['RETRIABLE', 'The model server has had too many requests. It is asked again later.'],
  /** The account has no credit left (402, `insufficient_quota`). @fix Add credit, or configure another key. */
  quota: ['CRITICAL', 'The account at the model server has no credit left. Add some, or name another key.'],
  /** The server failed (5xx, 409, or in the middle of an answer). @fix Planwright repeats the request. */
  server: ['RETRIABLE', 'The model server has failed. It is asked again later.'],
  /** The server does not accept the key (401, 403). @fix Set the right key. */
  auth: ['CRITICAL', 'The model server does not accept the key. Set the right one, or one that may use this model.'],
  /** The server rejects the request (400, 404, 422 ...), or it cannot be sent. @fix Follow the message. */
  'bad-request': ['CRITICAL', 'The model server does not take the request. Check its name, base URL, api and format.'],
  /** The request is longer than the model can read. @fix Give the model less, or configure another model. */
  'context-too-long': ['CRITICAL', 'The model cannot read so much. Give it less, or name one with a larger context.'],
  /** The model refused to write the requested format. @fix Put the goal in other words. */
  refusal: ['CRITICAL', 'The model has refused. Put the goal in other words.'],
  /** A content filter stopped the reply or the request. @fix Put the goal in other words. */
  'content-filter': ['CRITICAL', 'The content filter of the model server stopped it. Put the goal in other words.'],
  /** The model reached its limit of tokens, or wrote more than `replyBytes`. @fix Raise the limit, or ask for less. */
  'cut-off': ['REPLANNING', 'The reply is longer than the model may write. Allow it more tokens, or ask for less.'],
  /** The model did not write the requested format. @fix Ask again, or set a `format` that the server supports. */
  'format-not-kept': [
    'REPLANNING',
    'The model broke the format. Ask again, or set the format that its server can keep.',
  ],
  /**
   * The server sent no reply: a piece that is not JSON or has the wrong shape, two answers, a call without the name of
   * a tool, more than 128 calls, or arguments of more than 64 levels. It counts as paid. @fix Check the server, or
   * configure another one.
   */
  'malformed-reply': [
    'CRITICAL',
    'The model server has sent what is no reply. Look at the server, or name another one.',
  ],
  /** The answer ended before it was complete. @fix Planwright repeats the request. */
  'cut-stream': ['RETRIABLE', 'The model server broke off before the reply was whole. It is asked again.'],
  /** Planwright stopped the call. @fix The call is made again, unless a person cancelled it. */
  cancelled: ['RETRIABLE', 'The call was stopped from this side.'],
  /** The reply was paid for, but the store did not accept it. @fix Make the store writable and try again. */
  'not-journaled': [
    'RETRIABLE',
    'The reply is paid for and not kept. Make the store writable: this process has it still.',
  ],
} as const satisfies Readonly<Record<string, readonly [ErrorClass, forPeople: string]>>;

/** Errors that are replies of a model. If the request is repeated, the journal returns the error again for free. */
const REPLIES: readonly string[] = ['refusal', 'content-filter', 'cut-off', 'format-not-kept', 'malformed-reply'];

/** The kind of a `ModelError`, such as `rate-limit` or `refusal`. The kind decides whether the call is retried. */
export type ModelErrorKind = keyof typeof KINDS;

/** Every kind of a `ModelError`. docs/errors.md says what to do about each kind. */
export const MODEL_ERROR_KINDS = Object.keys(KINDS) as readonly ModelErrorKind[];

/** The facts of a `ModelError` in addition to its kind and its message. */
export interface ModelErrorOptions {
  /** The time in milliseconds until the server accepts the request again. */
  readonly retryAfterMs?: number | undefined;
  /** The error class, if the server says whether to retry. By default the kind decides. */
  readonly severity?: ErrorClass | undefined;
  /** The usage of a call that was paid for. It is an estimate if the reply was lost or incomplete. */
  readonly usage?: ModelUsage | undefined;
  /** The text of the model, if the reply was not what the request asked for. */
  readonly text?: string | undefined;
  /** The cause of the error, but never the exception of a server's client, which contains headers. */
  readonly cause?: unknown;
}

/**
 * The error of a call to a model. `message` says what happened, shortened and without keys; `forPeople` says what to
 * do. An error with a `usage` was paid for.
 * @example if (error instanceof ModelError && error.kind === 'quota') tell(error.forPeople);
 */
export class ModelError extends Error {
  override readonly name = 'ModelError';
  readonly kind: ModelErrorKind;
  readonly severity: ErrorClass;
  readonly forPeople: string;
  readonly retryAfterMs?: number;
  readonly usage?: ModelUsage;
  /** The complete text of the model, if the reply was not what the request asked for. */
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

/** Whether the error is a paid reply. A repeated request would get the same reply. */
export function isPaidReply(error: unknown): error is ModelError & { readonly usage: ModelUsage } {
  return error instanceof ModelError && error.usage !== undefined && REPLIES.includes(error.kind);
}
