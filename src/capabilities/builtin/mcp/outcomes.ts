/** The outcomes of a tool call, and their consequences for a read and for an at-most-once effect. */

import type { ErrorClass } from '../../../protocol/index.ts';

/**
 * Every answer except a readable result: the transports that have it, the error class of a read, and the state of an
 * effect, which is uncertain once its request may have left. docs/mcp.md shows this table.
 */
export const CALL_OUTCOMES = {
  /**
   * The server could not be started or reached, so no request left: connection refused, no such host, bad certificate.
   */
  unreachable: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'not-applied' },
  /** -32601, and this connection has never listed the tool. */
  unlisted: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'not-applied' },
  /** Any other error of JSON-RPC. Servers answer -32602 also after the tool ran, if its result does not fit their schema. */
  error: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'uncertain' },
  /** An HTTP status that is not a success. A redirect is not one. */
  status: { over: ['http'], read: 'RETRIABLE', effect: 'uncertain' },
  /** The process ended, the connection broke, or it sent too much. */
  broken: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'uncertain' },
  /** No answer in time. */
  late: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'uncertain' },
  /** An answer that is not a tool result. */
  malformed: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'uncertain' },
  /** `isError`: the tool says that it failed, but not how far it got. */
  'tool-error': { over: ['stdio', 'http'], read: 'REPLANNING', effect: 'uncertain' },
  /** The announced structure is missing, or does not fit its schema. */
  misfit: { over: ['stdio', 'http'], read: 'CRITICAL', effect: 'uncertain' },
  /** An empty result: a read found nothing to continue with, an effect has happened. */
  empty: { over: ['stdio', 'http'], read: 'REPLANNING', effect: 'done' },
} as const satisfies { readonly [answer: string]: { over: unknown; read: ErrorClass; effect: string } };

/** A call without a result; `answer` is its row of `CALL_OUTCOMES`. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  readonly answer: keyof typeof CALL_OUTCOMES;
  constructor(answer: keyof typeof CALL_OUTCOMES, message: string, options?: ErrorOptions) {
    super(message, options);
    this.answer = answer;
  }
}
