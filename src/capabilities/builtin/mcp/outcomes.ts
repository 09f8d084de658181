import type { ErrorClass } from '../../../protocol/index.ts';

/**
 * Every outcome of a tool call but a readable result: its transports (`over`), the error class of a read, and the state
 * of an effect, which is uncertain once a request may have been sent. docs/mcp.md shows this table.
 */
export const CALL_OUTCOMES = {
  /** No request was sent: connection refused, no such host, bad certificate, or the process did not start. */
  unreachable: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'not-applied' },
  /** JSON-RPC error -32601, if this connection has never listed the tool. */
  unlisted: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'not-applied' },
  /** Another JSON-RPC error. A server may send -32602 after the tool ran, if its result breaks its schema. */
  error: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'uncertain' },
  /** An HTTP status that counts as an error: anything but 2xx, so redirects count too. */
  status: { over: ['http'], read: 'RETRIABLE', effect: 'uncertain' },
  /** The process ended, the connection broke, or the server sent too much. */
  broken: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'uncertain' },
  /** The server did not answer the call in time. */
  late: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'uncertain' },
  /** The server answered, but its answer does not have the form of a tool result. */
  malformed: { over: ['stdio', 'http'], read: 'RETRIABLE', effect: 'uncertain' },
  /** The answer has `isError`: the tool says that it failed, but not how much it did before. */
  'tool-error': { over: ['stdio', 'http'], read: 'REPLANNING', effect: 'uncertain' },
  /** The structured result that the server announced is missing, or does not match its schema. */
  misfit: { over: ['stdio', 'http'], read: 'CRITICAL', effect: 'uncertain' },
  /** The result is empty. A read found nothing to continue with; an effect has happened. */
  empty: { over: ['stdio', 'http'], read: 'REPLANNING', effect: 'done' },
} as const satisfies { readonly [answer: string]: { over: unknown; read: ErrorClass; effect: string } };

/** A tool call without a result. `answer` is its row of `CALL_OUTCOMES`. */
export class CallFailure extends Error {
  override readonly name = 'CallFailure';
  readonly answer: keyof typeof CALL_OUTCOMES;
  constructor(answer: keyof typeof CALL_OUTCOMES, message: string, options?: ErrorOptions) {
    super(message, options);
    this.answer = answer;
  }
}
