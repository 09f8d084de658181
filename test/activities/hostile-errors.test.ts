/** Whatever a capability throws, the verdict on it is told: cut, well formed, and of the type that it has. */

import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { toFailure } from '../../src/activities/failures.ts';
import { CapabilityError } from '../../src/capabilities/index.ts';
import { FAILURE_BOUNDS } from '../../src/plan/text/index.ts';
import { failureConverter } from '../../src/workflows/failure-converter.js';
import { HOSTILE_ERRORS } from './hostile-errors.ts';

type Failure = ReturnType<typeof failureConverter.errorToFailure>;

/** An error and what it is about: the failure of each of its causes. */
function chainOf(failure: Failure): Failure[] {
  const chain: Failure[] = [];
  for (let one: Failure | null | undefined = failure; one; one = one.cause) chain.push(one);
  return chain;
}

describe.each(Object.entries(HOSTILE_ERRORS))('%s', (_, { make, type }) => {
  const told = failureConverter.errorToFailure(toFailure(make()), defaultPayloadConverter);

  test('keeps its type', () => expect(told.applicationFailureInfo?.type).toBe(type));

  test('is within the bounds, with all its causes, and well formed', () => {
    expect(chainOf(told).length).toBeLessThanOrEqual(FAILURE_BOUNDS.causes + 1);
    for (const { message, stackTrace } of chainOf(told)) {
      expect(message!.length).toBeLessThanOrEqual(FAILURE_BOUNDS.message);
      expect(stackTrace!.length).toBeLessThanOrEqual(FAILURE_BOUNDS.stack);
      expect([message, stackTrace].every((text) => text!.isWellFormed())).toBe(true);
    }
  });

  test('asks for a pause that the server takes, if for any', () => {
    const { seconds, nanos } = told.applicationFailureInfo?.nextRetryDelay ?? {};
    expect(Number(seconds ?? 0)).toBeLessThanOrEqual(365 * 86_400);
    expect(Math.min(Number(seconds ?? 0), nanos ?? 0)).toBeGreaterThanOrEqual(0);
  });

  test('leaves the process so even where nothing has classed it', () => {
    const [first, ...causes] = chainOf(failureConverter.errorToFailure(make(), defaultPayloadConverter));
    expect(JSON.stringify([first, ...causes]).length).toBeLessThan(100_000);
  });
});

test('what an error says of its cause is told', () => {
  const failure = toFailure(new CapabilityError('FATAL', 'no water', { cause: new Error('pump off') }));
  const [first, second] = chainOf(failureConverter.errorToFailure(failure, defaultPayloadConverter));
  expect(first).toMatchObject({ message: 'no water', applicationFailureInfo: { type: 'FATAL', nonRetryable: true } });
  expect(second).toMatchObject({ message: 'no water' });
  expect(second?.cause).toMatchObject({ message: 'pump off' });
});

test('a failure of another process is told within the bounds too', () => {
  const received = failureConverter.failureToError(
    { message: '\ud800'.repeat(5000), applicationFailureInfo: { type: 'RETRIABLE' } },
    defaultPayloadConverter,
  );
  const { message } = failureConverter.errorToFailure(received, defaultPayloadConverter);
  expect(message).toHaveLength(FAILURE_BOUNDS.message);
  expect(message!.isWellFormed()).toBe(true);
});

test.each<[string, unknown]>([
  ['too long', 'x'.repeat(2_000_000)],
  ['no JSON', 1n],
])('details that are %s are left out, and the type stays', (_, detail) => {
  const failure = ApplicationFailure.create({ type: 'CRITICAL', message: 'm', nonRetryable: true, details: [detail] });
  const { applicationFailureInfo } = failureConverter.errorToFailure(failure, defaultPayloadConverter);
  expect(applicationFailureInfo).toMatchObject({ type: 'CRITICAL', nonRetryable: true });
  expect(JSON.stringify(applicationFailureInfo).length).toBeLessThan(1000);
});
