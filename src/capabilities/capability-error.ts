/** The errors of capabilities. Any other error counts as RETRIABLE. */

import type { ErrorClass } from '../protocol/index.ts';

/**
 * A failure of a given class; docs/errors.md has the classes and their consequences.
 * @example throw new CapabilityError('RETRIABLE', 'the service is busy', { retryAfterMs: 5000 });
 */
export class CapabilityError extends Error {
  override readonly name = 'CapabilityError';
  readonly errorClass: ErrorClass;
  /** Milliseconds until a RETRIABLE failure may be retried, if the outside world says so. */
  readonly retryAfterMs: number | undefined;
  constructor(errorClass: ErrorClass, message: string, options: ErrorOptions & { retryAfterMs?: number } = {}) {
    super(message, options);
    this.errorClass = errorClass;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/**
 * Thrown by an at-most-once capability whose effect certainly did not happen: the node fails and is not uncertain.
 * @example if (order.state === 'refused') throw new NotApplied('the shop has refused the order');
 */
export class NotApplied extends Error {
  override readonly name = 'NotApplied';
}
