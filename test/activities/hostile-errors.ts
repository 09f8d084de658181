/** Errors that a capability might throw and that once ended a worker, or were never told. */

import { CapabilityError } from '../../src/capabilities/index.ts';
import type { FailureType } from '../../src/protocol/index.ts';

const MANY = 10_000_000;
const broken = (message: string, cause?: unknown) => new CapabilityError('CRITICAL', message, { cause });
function refuse(): never {
  throw new TypeError('refused');
}

/** By name: what it is told as, and what makes it. */
const ERRORS: Readonly<Record<string, readonly [type: FailureType, make: () => unknown]>> = {
  'an error that is its own cause': [
    'CRITICAL',
    () => {
      const error = broken('circle');
      error.cause = error;
      return error;
    },
  ],
  'an error with 5,000 causes': [
    'CRITICAL',
    () => {
      let cause = new Error('first');
      for (let depth = 0; depth < 5000; depth += 1) cause = new Error(`because ${depth}`, { cause });
      return broken('deep', cause);
    },
  ],
  'a message of 10 MB': ['CRITICAL', () => broken('x'.repeat(MANY))],
  'a cause of 10 MB': ['CRITICAL', () => broken('wide', new Error('x'.repeat(MANY)))],
  'a stack of 10 MB': ['CRITICAL', () => Object.assign(broken('tall'), { stack: 'x'.repeat(MANY) })],
  'lone surrogates everywhere': [
    'CRITICAL',
    () => Object.assign(broken('a\ud800', new Error('\udc00b')), { stack: '\ud800' }),
  ],
  'a text with a lone surrogate': ['RETRIABLE', () => '\ud800'],
  ...Object.fromEntries(
    [NaN, Infinity, 1e300, -5, 'soon'].map((pause) => [
      `a pause of ${String(pause)}`,
      ['RETRIABLE', () => new CapabilityError('RETRIABLE', 'busy', { retryAfterMs: pause as number })] as const,
    ]),
  ),
  'nothing at all': ['RETRIABLE', () => undefined],
  'an object without a prototype': ['RETRIABLE', () => Object.create(null) as unknown],
  'a getter that throws': ['RETRIABLE', () => Object.defineProperty(new Error('m'), 'message', { get: refuse })],
  'a message that is no text': ['RETRIABLE', () => Object.assign(new Error('m'), { message: 7 })],
  'a proxy that refuses every question': [
    'RETRIABLE',
    () =>
      new Proxy(
        {},
        { get: refuse, has: refuse, getPrototypeOf: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse },
      ),
  ],
};
export const HOSTILE_ERRORS = Object.fromEntries(
  Object.entries(ERRORS).map(([name, [type, make]]) => [name, { type, make }]),
);
