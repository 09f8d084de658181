/** Whatever was thrown becomes a failure of the closed list; this is its table. */

import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { describe, expect, test } from 'vitest';
import { toFailure } from '../../src/activities/failures.ts';
import { RunFailureError } from '../../src/protocol/index.ts';
import { CapabilityError, NotApplied } from '../../src/capabilities/index.ts';
import { StoreError } from '../../src/store/index.ts';
import { ERROR_CLASSES } from '../../src/protocol/index.ts';

/** What `fetch` of Node throws. */
const fetchFailure = (cause: Error) => new TypeError('fetch failed', { cause });

describe('what was thrown becomes a failure of the closed list', () => {
  test.each<[string, unknown, string, boolean]>([
    ['an unknown error', new Error('socket hang up'), 'RETRIABLE', false],
    ['a text', 'boom', 'RETRIABLE', false],
    ['undefined', undefined, 'RETRIABLE', false],
    ['a mistake of the program', new TypeError('x is not a function'), 'CRITICAL', true],
    ['a range error', new RangeError('Invalid array length'), 'CRITICAL', true],
    [
      'a network that is away',
      fetchFailure(Object.assign(new Error('no'), { code: 'ECONNREFUSED' })),
      'RETRIABLE',
      false,
    ],
    ['a fetch of what is no URL', fetchFailure(new Error('unknown scheme')), 'CRITICAL', true],
    ['a module that is not there', Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' }), 'CRITICAL', true],
    ['a result that was changed', new StoreError('corrupt', 'digest differs'), 'ResultCorrupt', true],
    ['a result that is not there yet', new StoreError('not-found', 'no such result'), 'RETRIABLE', false],
    ['a store that cannot be written', new StoreError('unwritable', 'read-only'), 'Unavailable', false],
    ['a reference that is none', new StoreError('invalid-ref', 'what'), 'FATAL', true],
    ['an effect that did not happen', new NotApplied('busy'), 'NotApplied', false],
    ['a capability of another version', new RunFailureError('CapabilityChanged', 'v2'), 'CapabilityChanged', false],
  ])('%s', (_, thrown, type, nonRetryable) => {
    expect(toFailure(thrown)).toMatchObject({ type, nonRetryable });
  });

  test.each(ERROR_CLASSES)('Osprey: error severities: a capability error of class %s keeps it', (errorClass) => {
    const failure = toFailure(new CapabilityError(errorClass, 'no'));
    expect(failure).toMatchObject({ type: errorClass, nonRetryable: errorClass !== 'RETRIABLE', message: 'no' });
  });

  test('a pause that the outside world asked for is kept', () => {
    const failure = toFailure(new CapabilityError('RETRIABLE', 'slow down', { retryAfterMs: 1500 }));
    expect(failure).toMatchObject({ nextRetryDelay: 1500 });
  });

  test.each([new CancelledFailure('cancelled'), ApplicationFailure.nonRetryable('own', 'FATAL')])(
    '%s stays what it is',
    (error) => {
      expect(toFailure(error)).toBe(error);
    },
  );

  test('Temporal: limits of a failure: a long message is cut, so that the server keeps the type', () => {
    expect(toFailure(new Error('x'.repeat(10_000))).message).toHaveLength(2000);
  });
});
