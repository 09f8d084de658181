/** What a probe says of an effect that an earlier attempt has claimed, and what becomes of its node. */

import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { verifyEffect, type Verifying } from '../../src/activities/verify-effect.ts';
import { CapabilityError, defineCapability, NotApplied, type Verified } from '../../src/capabilities/index.ts';
import type { StoreNode } from '../../src/activities/node-results.ts';
import { z } from 'zod';
import { tool } from '../support/capabilities.ts';
import { planOf, task } from '../support/plans.ts';
import { failureOf, openActivities } from './rig.ts';

const keep: StoreNode = (result, notes) => Promise.resolve({ ref: 'r', kind: result.kind, bytes: 1, notes } as never);
let tries = 0;

function verified(verify: (signal: AbortSignal) => unknown, { until = 0, isOver = false } = {}) {
  tries = 0;
  const environment = new MockActivityEnvironment({ startToCloseTimeoutMs: 400, attempt: 2 });
  const capability = {
    ...{ name: 'pay', version: '2', output: 'text' as const },
    verify: ({ signal }: { readonly signal: AbortSignal }) => {
      tries += 1;
      return verify(signal) as never;
    },
  };
  const verifying = {
    ...{
      capability,
      keep,
      isOver,
      claimed: { key: 'k', until: Date.now() + until },
      beginning: { begun: true, once: true },
    },
    task: { signal: new AbortController().signal },
  } as unknown as Verifying;
  return environment.run(() => verifyEffect(verifying)) as Promise<object>;
}

const SAID = /^this effect was begun before under the key k, and the probe of pay@2 /;

test('an effect that happened has its result, and a note of who said so and when', async () => {
  expect(await verified(() => ({ happened: true, result: 'receipt 7' }), { until: 60_000 })).toMatchObject({
    kind: 'text',
    notes: [expect.stringMatching(/^the probe of pay@2 said at \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ: it happened$/)],
  });
});

test('one that has not happened waits while the earlier attempt may still do it, and then asks a person', async () => {
  const no = () => ({ happened: false });
  expect(await verified(no, { until: 60_000 })).toMatchObject({
    deferred: 'probe',
    mayHaveBegun: true,
    attempts: 1,
    reason: expect.stringMatching(/: it did not happen; the attempt that claimed it may still do it until /) as string,
  });
  await expect(verified(no)).rejects.toThrow(/said at .*: it did not happen$/);
  await expect(verified(no, { until: 60_000, isOver: true })).rejects.toThrow(/it did not happen$/);
});

const proxy = new Proxy(
  {},
  {
    get: () => {
      throw new Error('hostile');
    },
    has: () => {
      throw new Error('hostile');
    },
  },
);

test.each<[string, (signal: AbortSignal) => unknown, RegExp, number]>([
  ['cannot tell', () => undefined, /said at .*: it cannot tell whether it happened$/, 1],
  [
    'throws',
    () => {
      throw new Error('no line\u001b[31m');
    },
    /gave no answer in 3 tries, the last at .*: no line/,
    3,
  ],
  ['hangs', () => new Promise(() => {}), /gave no answer in 3 tries, .*timeout/, 3],
  ['answers true alone', () => true, /what is no answer, boolean true$/, 1],
  ['answers a text', () => 'yes', /what is no answer, "yes"$/, 1],
  ['answers without a result', () => ({ happened: true }), /what is no answer/, 1],
  [
    'answers another result',
    () => ({ happened: true, result: 7 }),
    /it happened, and gives a result that is no text$/,
    1,
  ],
  ['answers something hostile', () => proxy, /gave no answer in 3 tries/, 3],
])('a probe that %s asks a person', async (_, verify, said, asked) => {
  const error = (await verified(verify, { until: 60_000 }).catch((one: unknown) => one)) as Error;
  expect(error.message).toMatch(SAID);
  expect(error.message).toMatch(said);
  expect(error.message).not.toMatch(/\p{Cc}/u);
  expect(tries).toBe(asked);
});

test.each([
  [
    'of a read',
    { effect: 'read', verify: () => undefined },
    /its effect is read, and a read is repeated; leave verify out/,
  ],
  [
    'that is no function',
    { effect: 'at-most-once', verify: 'yes' },
    /verify is a function that asks whether the effect happened/,
  ],
])('a probe %s is refused', (_, more, message) => {
  const declaration = {
    name: 'pay',
    description: 'Pays.',
    input: z.object({}),
    output: 'text',
    execute: () => '',
    ...more,
  };
  expect(() => defineCapability(declaration as never)).toThrow(message);
});

describe('an effect whose own attempt fails', () => {
  const BROKE = new CapabilityError('RETRIABLE', 'the line broke');
  async function failing(error: Error, verify?: () => Verified<'text'>) {
    let asked = 0;
    const probe = verify && { verify: () => ((asked += 1), verify()) };
    const pay = tool({ name: 'pay', ...probe }, 'at-most-once', 'text', z.object({}), () => Promise.reject(error));
    const rig = await openActivities([pay]);
    const { revisionRef: revision } = await rig.compiled(planOf(task('pay', {})));
    const request = { revision, nodeId: 'node_1', inputs: [], work: 1 };
    return { call: () => rig.call('runTask', request), asked: () => asked };
  }

  test('has the result that its probe finds at once, by the same attempt', async () => {
    const { call, asked } = await failing(BROKE, () => ({ happened: true, result: 'receipt 7' }));
    const notes = [expect.stringMatching(/^the probe of pay@1 said at .*: it happened$/) as string];
    expect([await call(), asked()]).toMatchObject([{ kind: 'text', notes }, 1]);
  });

  test.each<[string, Error, (() => Verified<'text'>) | undefined, RegExp, number]>([
    [
      'did not happen',
      BROKE,
      () => ({ happened: false }),
      /^the line broke; the probe of pay@1 said at .*: it did not happen$/,
      1,
    ],
    ['may have happened', BROKE, () => undefined, /^the line broke; the probe .* cannot tell whether it happened$/, 1],
    ['has no probe', BROKE, undefined, /^the line broke$/, 0],
    [
      'says itself that it did not happen',
      new NotApplied('no line'),
      () => ({ happened: true, result: 'x' }),
      /^no line$/,
      0,
    ],
  ])('and that %s fails with both, and is not asked again', async (_, error, verify, message, times) => {
    const { call, asked } = await failing(error, verify);
    const failure = await failureOf(call());
    expect([failure.message, asked()]).toEqual([expect.stringMatching(message), times]);
    expect(failure.nonRetryable).toBe(true);
  });
});
