/** What people and programs do to a run on purpose, by mistake or at the wrong moment. */

import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createKeyPair } from '../../src/protocol/identity/index.ts';
import { createBarrier, ids, waits, writes, tool } from '../support/capabilities.ts';
import { idsOf, planOf, task } from '../support/plans.ts';
import { signedTo } from '../support/chain-of.ts';
import { sharedRig } from '../support/rig.ts';

const barrier = createBarrier();
const written: string[] = [];
const order: string[] = [];
/** A write that begins, waits for the test, and ends. */
const slow = tool('slow', 'idempotent', 'text', z.object({ at: z.string() }), async (given) => {
  order.push(`begin ${given.arguments.at}`);
  await barrier.wait(given.arguments.at, given.signal);
  order.push(`end ${given.arguments.at}`);
  return given.arguments.at;
});
const keys = createKeyPair();

const rig = await sharedRig({ capabilities: [ids, slow, waits(barrier), writes('fire', 'at-most-once', written)] });
const signed = await sharedRig({ capabilities: [ids], identity: { keys: { desk: { publicKey: keys.publicKey } } } });

const MEGABYTE = 'x'.repeat(1_000_000);

test.each<[string, string, object]>([
  ['a token', 'decide', { token: MEGABYTE + MEGABYTE.slice(0, 990_000) }],
  ['an answer', 'answer', { question: 'Q', value: MEGABYTE + MEGABYTE.slice(0, 990_000), by: 'operator' }],
  [
    'an edit',
    'decide',
    { kind: 'edit', digest: 'D', by: 'operator', plan: { ...idsOf('a'), hint: MEGABYTE + MEGABYTE } },
  ],
])('a message as large as the server takes: %s is refused, and the run goes on', async (_, name, message) => {
  const { run, digest } = await rig.startAsked(planOf(task('ask', { question: 'Go?' })));
  await rig.say(run, 'decide', { kind: 'approve-part', digest, by: 'operator', nodes: ['node_1'] });
  const { id } = await rig.opened(run, ({ kind }) => kind === 'question');
  const text = JSON.stringify(message).replace('"Q"', JSON.stringify(id)).replace('"D"', JSON.stringify(digest));
  await run.signal(name, JSON.parse(text.slice(0)) as object).catch(() => undefined);
  await run.signal('answer', { question: id, value: 'go', by: 'operator' });
  expect(await run.result()).toMatchObject({ outcome: 'done' });
});

describe('signed messages', () => {
  const sign = (run: WorkflowHandle, message: object) => signedTo(run, keys.privateKey, message);

  test('of an earlier run of the same id approve nothing in a later one', async () => {
    const id = `${signed.taskQueue}-again`;
    const { run: first, digest } = await signed.startAsked(planOf(idsOf('a')), id);
    const long = await signedTo(
      first,
      keys.privateKey,
      { kind: 'approve', digest },
      {
        ...{ lifeSeconds: 3600, now: new Date(Date.now() - 120_000) },
      },
    );
    expect(await signed.say(first, 'decide', { token: long })).toContain('before this run began');
    await signed.say(first, 'decide', { token: await sign(first, { kind: 'reject', digest }) });
    expect(await first.result()).toMatchObject({ outcome: 'rejected' });
  });

  test('that are none cost no activity, and a hundred of them hold up nobody', async () => {
    const { run, digest } = await signed.startAsked(planOf(idsOf('a')));
    await Promise.all(Array.from({ length: 100 }, (_, i) => run.signal('decide', { token: `x${i}` })));
    await run.signal('decide', { token: await sign(run, { kind: 'approve', digest }) });
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    const { events } = await run.fetchHistory();
    const names = (events ?? []).map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name);
    expect(new Set(names.filter((name) => name != null && name !== 'compilePlan'))).toEqual(new Set(['runTask']));
  });
});
