/** The error by which a capability says what kind of failure it met. Any other error counts as RETRIABLE. */

import type { ErrorClass } from '../protocol/index.ts';

/**
 * Says which kind of failure it is, and so what follows from it: docs/errors.md has the kinds.
 * @example throw new CapabilityError('RETRIABLE', 'the service is busy', { retryAfterMs: 5000 });
 */
export class CapabilityError extends Error {
  override readonly name = 'CapabilityError';
  readonly errorClass: ErrorClass;
  /** Milliseconds after which a RETRIABLE failure may be tried again, where the outside world said so. */
  readonly retryAfterMs: number | undefined;
  constructor(errorClass: ErrorClass, message: string, options: ErrorOptions & { retryAfterMs?: number } = {}) {
    super(message, options);
    this.errorClass = errorClass;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/**
 * Thrown by an at-most-once capability that knows its effect did not happen: the node fails instead of staying uncertain.
 * @example if (order.state === 'refused') throw new NotApplied('the shop has refused the order');
 */
export class NotApplied extends Error {
  override readonly name = 'NotApplied';
}
