/** Errors that a capability might throw and that once ended a worker, or were never told. */

import { CapabilityError } from '../../src/capabilities/index.ts';
import type { FailureType } from '../../src/protocol/index.ts';

interface HostileError {
  readonly type: FailureType;
  make(): unknown;
}

const MANY = 10_000_000;

export const HOSTILE_ERRORS: Readonly<Record<string, HostileError>> = {
  'an error that is its own cause': {
    type: 'CRITICAL',
    make() {
      const error = new CapabilityError('CRITICAL', 'circle');
      error.cause = error;
      return error;
    },
  },
  'an error with 5,000 causes': {
    type: 'CRITICAL',
    make() {
      let cause = new Error('first');
      for (let depth = 0; depth < 5000; depth += 1) cause = new Error(`because ${depth}`, { cause });
      return new CapabilityError('CRITICAL', 'deep', { cause });
    },
  },
  'a message of 10 MB': { type: 'CRITICAL', make: () => new CapabilityError('CRITICAL', 'x'.repeat(MANY)) },
  'a cause of 10 MB': {
    type: 'CRITICAL',
    make: () => new CapabilityError('CRITICAL', 'wide', { cause: new Error('x'.repeat(MANY)) }),
  },
  'a stack of 10 MB': {
    type: 'CRITICAL',
    make: () => Object.assign(new CapabilityError('CRITICAL', 'tall'), { stack: 'x'.repeat(MANY) }),
  },
  'lone surrogates everywhere': {
    type: 'CRITICAL',
    make: () =>
      Object.assign(new CapabilityError('CRITICAL', 'a\ud800', { cause: new Error('\udc00b') }), { stack: '\ud800' }),
  },
  'a text with a lone surrogate': { type: 'RETRIABLE', make: () => '\ud800' },
  'nothing at all': { type: 'RETRIABLE', make: () => undefined },
  'an object without a prototype': { type: 'RETRIABLE', make: () => Object.create(null) as unknown },
  'a getter that throws': {
    type: 'RETRIABLE',
    make: () =>
      Object.defineProperty(new Error('m'), 'message', {
        get() {
          throw new Error('not today');
        },
      }),
  },
  'a message that is no text': { type: 'RETRIABLE', make: () => Object.assign(new Error('m'), { message: 7 }) },
  'a proxy that refuses every question': {
    type: 'RETRIABLE',
    make() {
      const refuse = () => {
        throw new TypeError('refused');
      };
      return new Proxy(
        {},
        { get: refuse, has: refuse, getPrototypeOf: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse },
      );
    },
  },
};
