/** Runs under a standing grant: no question, and nothing begins that the grant does not cover any more. */

import type { WorkflowHandle } from '@temporalio/client';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { listGrants, withdrawGrant } from '../../src/activities/grants/stored-grants.ts';
import { defineAgent } from '../../src/capabilities/index.ts';
import { createKeyPair } from '../../src/protocol/identity/index.ts';
import { scriptedClient } from '../../src/models/index.ts';
import { call, finish } from '../support/calls.ts';
import { createBarrier, tool, waits } from '../support/capabilities.ts';
import { signedTo } from '../support/chain-of.ts';
import { giveGrant, type Giving } from '../support/grants.ts';
import { planOf, task } from '../support/plans.ts';
import { resetRun } from '../support/reset-run.ts';
import { sharedRig } from '../support/rig.ts';
import { asStranger, FALSE_RUN, requestOf } from '../support/stranger.ts';

const operator = createKeyPair();
const barrier = createBarrier();
const paid: string[] = [];
const pay = tool(
  'pay',
  'at-most-once',
  'value',
  z.object({ amount: z.number(), to: z.string() }),
  ({ arguments: { amount, to } }) => paid.push(`${amount} to ${to}`),
);
const payer = defineAgent({ name: 'payer', description: 'Pays.', instructions: 'Pay.', capabilities: [pay] });
const rig = await sharedRig({
  capabilities: [pay, waits(barrier)],
  agents: [payer],
  model: scriptedClient([call('pay', { amount: 7, to: 'agent' }), finish('paid')]),
  identity: { keys: { operator: { publicKey: operator.publicKey, subject: 'operator' } } },
});

const payment = (amount: number, to: string) => planOf(task('pay', { amount, to }, { task: 'Pay' }));
const VARY = { 'node_1/arguments/amount': { type: 'number', minimum: 0, maximum: 500 } };
const give = (document: { goal: string; plan: object }, terms: Giving['terms'] = {}) =>
  giveGrant(rig, { goal: document.goal, plan: document.plan }, { key: operator.privateKey, kid: 'operator', terms });
const paidTo = (to: string) => paid.filter((one) => one.endsWith(` to ${to}`));
const say = async (run: WorkflowHandle, message: object) =>
  rig.say(run, 'decide', { token: await signedTo(run, operator.privateKey, message, { kid: 'operator' }) });

test('a covered run asks nobody, says under which grant it ran, and finds its use again after a reset', async () => {
  const { id } = await give(payment(1, 'shop'), { vary: VARY });
  const run = await rig.start(payment(44, 'shop'));
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(paidTo('shop')).toEqual(['44 to shop']);
  const comment = `grant ${id.slice(0, 8)}, use 1 of 2`;
  const status = await rig.until(run, ({ phase }) => phase === 'closed');
  expect(status.grants).toEqual([`${comment}, by operator`]);
  expect(await rig.trace(run, 'decision')).toMatchObject([
    { said: { by: 'operator', comment, verified: true, grant: { id, use: 1 } } },
  ]);
  const again = await resetRun(rig, run);
  expect(await again.result()).toMatchObject({ outcome: 'done' });
  expect(paidTo('shop')).toEqual(['44 to shop']);
  expect((await rig.until(again, () => true)).grants).toEqual([`${comment}, by operator`]);
});

test('what a grant does not cover is asked about, and the question says why', async () => {
  const { id } = await give(payment(1, 'bakery'), { vary: VARY });
  const { run, digest } = await rig.startAsked(payment(501, 'bakery'));
  const [item] = await rig.open(run);
  expect(item?.text).toContain(
    `No grant covers it: grant ${id.slice(0, 8)}: the value of node_1/arguments/amount does not fit its schema`,
  );
  expect(await say(run, { kind: 'approve', digest })).toBe('approved');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
});

test('a grant that is withdrawn between the start and the effect lets nothing begin: the run asks, and goes on by a person', async () => {
  const document = (amount: number) =>
    planOf(task('pay', { amount, to: 'late' }, { task: 'Pay', input: task('waits', { at: 'late' }) }));
  const vary = { 'node_2/arguments/amount': { type: 'number' } };
  const { id } = await give(document(1), { vary });
  const run = await rig.start(document(3));
  await barrier.reached('late');
  const stored = (await listGrants(rig.store)).find((one) => one.id === id);
  expect(await withdrawGrant(rig.store, stored!, 'operator')).toBe(true);
  barrier.open('late');
  const { text, digest } = await rig.opened(run, ({ kind }) => kind === 'approval');
  expect(text).toContain('it was withdrawn');
  expect(paidTo('late')).toEqual([]);
  expect(await say(run, { kind: 'approve', digest })).toBe('approved');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(paidTo('late')).toEqual(['3 to late']);
});

test('an edited plan is not covered, although only a value that may vary differs', async () => {
  const document = (amount: number) =>
    planOf(task('pay', { amount, to: 'edited' }, { task: 'Pay', input: task('waits', { at: 'edited' }) }));
  await give(document(1), { vary: { 'node_2/arguments/amount': { type: 'number' } } });
  const run = await rig.start(document(3));
  await barrier.reached('edited');
  const { digest } = await rig.until(run, ({ phase }) => phase === 'running');
  // A plan that runs is edited after its approval was taken back.
  await say(run, { kind: 'withdraw', digest });
  expect(await say(run, { kind: 'edit', digest, plan: document(4).plan })).toContain('revision 2 is open');
  barrier.open('edited');
  const item = await rig.opened(run, ({ kind, revision }) => kind === 'approval' && revision === 2);
  expect(paidTo('edited')).toEqual([]);
  await say(run, { kind: 'reject', digest: item.digest });
  expect(await run.result()).toMatchObject({ outcome: 'rejected' });
});

test('a grant of an agent covers its thinking, and each of its effects asks', async () => {
  const document = planOf({ task: 'Pay it', agent: 'payer' });
  await give(document);
  const run = await rig.start(document);
  const child = await rig.childOf(run);
  const { digest } = await rig.opened(child, ({ kind }) => kind === 'approval');
  expect(paidTo('agent')).toEqual([]);
  await say(child, { kind: 'approve', digest });
  expect(await run.result()).toMatchObject({ outcome: 'done' });
});

test('a grant that somebody without a key shows for another plan through the Temporal API lets nothing run', async () => {
  const { token } = await give(payment(1, 'friend'), { vary: VARY });
  const covered = await rig.start(payment(2, 'friend'));
  await covered.result();
  const { goal, plan } = payment(2, 'thief');
  const asked = await rig.startAsked(payment(2, 'thief'));
  const request = await requestOf(covered);
  const thief = { ...request, revision: (await revisionOf(asked.run)) ?? request.revision };
  await asStranger(rig, FALSE_RUN, (execute) =>
    execute('falseRun', `${rig.taskQueue}-thief`, [
      rig.taskQueue,
      [token],
      [request, thief],
      { document: { goal, plan } },
    ]),
  );
  expect(paidTo('thief')).toEqual([]);
  expect(paidTo('friend')).toEqual(['2 to friend']);
  await asked.run.terminate();
});

/** The revision that the compile of a run has replied. */
async function revisionOf(run: WorkflowHandle): Promise<string | undefined> {
  const { events } = await run.fetchHistory();
  for (const { activityTaskCompletedEventAttributes: one } of events ?? []) {
    const data = one?.result?.payloads?.[0]?.data;
    const reply = JSON.parse(Buffer.from(data ?? '{}').toString('utf8')) as { planShape?: { revisionRef?: string } };
    if (reply.planShape?.revisionRef !== undefined) return reply.planShape.revisionRef;
  }
  return undefined;
}

// Exactly so many at once is a test of the store's claims, in test/activities.
test(
  'of fifty runs that start at once, while workers come and go, exactly twenty run without a question',
  { tags: ['slow'] },
  async () => {
    await give(payment(1, 'many'), { vary: VARY, uses: 20 });
    const second = await rig.startWorker();
    const runs = await Promise.all(Array.from({ length: 50 }, (_, amount) => rig.start(payment(amount, 'many'))));
    await second();
    await rig.stopWorker();
    await rig.startWorker();
    const ends = await Promise.all(
      runs.map(async (run) => {
        const { outcome } = await rig.until(run, ({ phase, waitingFor }) => phase === 'closed' || waitingFor > 0);
        return outcome ?? 'asked';
      }),
    );
    expect(ends.filter((one) => one === 'done')).toHaveLength(20);
    expect(ends.filter((one) => one === 'asked')).toHaveLength(30);
    expect(new Set(paidTo('many')).size).toBe(20);
    expect(paidTo('many')).toHaveLength(20);
    await Promise.all(runs.flatMap((run, at) => (ends[at] === 'asked' ? [run.terminate()] : [])));
  },
);
