/** The errors of a call to a model, and what follows from each. docs/errors.md lists the kinds; a test compares. */

import type { ErrorClass } from '../protocol/index.ts';
import type { ModelUsage } from './model-client.ts';

interface KindFacts {
  readonly severity: ErrorClass;
  /** It is the reply of the model: the same request gets it again, from the journal, and is not bought twice. */
  readonly isReply?: true;
  /** For the people who run the project: the meaning and what to do. */
  readonly forPeople: string;
}

/**
 * The classes are Osprey's. RETRIABLE is what the same request can pass another time. REPLANNING is what only another
 * request can pass: the same one is answered from the journal, and would fail again. CRITICAL waits for a person. `cancelled`
 * is RETRIABLE since a worker that shuts down cancels too, and Temporal tries nothing again that a person has cancelled.
 */
const KINDS = {
  connection: {
    severity: 'RETRIABLE',
    forPeople: 'The model server cannot be reached. Check that it runs, and the base URL.',
  },
  timeout: {
    severity: 'RETRIABLE',
    forPeople: 'The model server took too long. Try again, ask for less, or raise the timeout of the model.',
  },
  'rate-limit': {
    severity: 'RETRIABLE',
    forPeople: 'The model server has had too many requests. It is asked again later.',
  },
  quota: {
    severity: 'CRITICAL',
    forPeople: 'The account at the model server has no credit left. Add some, or name another key.',
  },
  server: {
    severity: 'RETRIABLE',
    forPeople: 'The model server has failed. It is asked again later.',
  },
  auth: {
    severity: 'CRITICAL',
    forPeople: 'The model server does not accept the key. Set the right one, or one that may use this model.',
  },
  'bad-request': {
    severity: 'CRITICAL',
    forPeople: 'The model server does not take the request. Check the name of the model, its base URL, api and format.',
  },
  'context-too-long': {
    severity: 'CRITICAL',
    forPeople: 'The request is longer than the model can read. Give it less, or name a model with a larger context.',
  },
  refusal: {
    severity: 'CRITICAL',
    isReply: true,
    forPeople: 'The model has refused. Put the goal in other words.',
  },
  'content-filter': {
    severity: 'CRITICAL',
    isReply: true,
    forPeople: 'The content filter of the model server has stopped the reply. Put the goal in other words.',
  },
  'cut-off': {
    severity: 'REPLANNING',
    isReply: true,
    forPeople: 'The reply was longer than the model may write. Allow it more tokens, or ask for less.',
  },
  'format-not-kept': {
    severity: 'REPLANNING',
    isReply: true,
    forPeople: 'The model did not keep to the format. Ask again, or set the format that its server can keep.',
  },
  'malformed-reply': {
    severity: 'REPLANNING',
    isReply: true,
    forPeople: 'The model server has sent what is no reply. Ask again; where it comes again, look at the server.',
  },
  'cut-stream': {
    severity: 'RETRIABLE',
    forPeople: 'The connection to the model server broke before the reply was whole. It is asked again.',
  },
  cancelled: {
    severity: 'RETRIABLE',
    forPeople: 'The call was stopped from this side.',
  },
  'not-journaled': {
    severity: 'RETRIABLE',
    forPeople: 'The reply was paid for and cannot be kept. Make the store writable: this process still has the reply.',
  },
} as const satisfies Readonly<Record<string, KindFacts>>;

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
  readonly retryAfterMs?: number;
  /** Set if the server has told in so many words whether to try again; default as the kind has it. */
  readonly severity?: ErrorClass;
  /** The usage of the call, where it was bought; reckoned where it was lost or cut. */
  readonly usage?: ModelUsage;
  /** The text of the model, where it was not what was asked for. */
  readonly text?: string;
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
  constructor(kind: ModelErrorKind, message: string, options: ModelErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    const { severity, forPeople } = KINDS[kind];
    this.kind = kind;
    this.severity = options.severity ?? severity;
    this.forPeople = forPeople;
    if (options.retryAfterMs !== undefined) this.retryAfterMs = options.retryAfterMs;
    if (options.usage !== undefined) this.usage = options.usage;
    if (options.text !== undefined) this.text = options.text;
  }
}

/** The same error of a call that was bought; its own usage counts where it has one. */
export function withUsage(error: ModelError, usage: ModelUsage): ModelError {
  if (error.usage !== undefined) return error;
  const { kind, message, severity, retryAfterMs } = error;
  return new ModelError(kind, message, { severity, usage, ...(retryAfterMs !== undefined && { retryAfterMs }) });
}

/** Whether this is how the model has answered, paid for: asked again it would say the same. */
export function isPaidReply(error: unknown): error is ModelError & { readonly usage: ModelUsage } {
  if (!(error instanceof ModelError) || error.usage === undefined) return false;
  const facts: KindFacts = KINDS[error.kind];
  return facts.isReply === true;
}
