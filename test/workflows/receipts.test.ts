/** At its end a run leaves a receipt that its worker has signed; without the setting nothing of it is there. */

import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { defineAgent } from '../../src/capabilities/index.ts';
import { verifyReceipt, signMessage, type Statement } from '../../src/protocol/identity/index.ts';
import { scriptedClient } from '../../src/models/index.ts';
import type { NodesPage } from '../../src/protocol/index.ts';
import { collect } from '../../src/operations/upkeep/collect.ts';
import { putReceipt, receiptsIn, StoreError, type Store } from '../../src/store/index.ts';
import { call, finish } from '../support/calls.ts';
import { ids, tool, writes } from '../support/capabilities.ts';
import { chainOf, signedTo } from '../support/chain-of.ts';
import { giveGrant } from '../support/grants.ts';
import { createMemoryStore } from '../support/memory-store.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { IDENTITY, OPERATOR, WORKERS } from '../support/receipts.ts';
import { resetRun } from '../support/reset-run.ts';
import { ownRig, sharedRig, type Rig, type RigOptions } from '../support/rig.ts';
import { handOver, SHORT_HISTORIES } from '../support/hand-over.ts';
import { z } from 'zod';

const written: string[] = [];
const pays = writes('pays', 'at-most-once', written);
let tries = 0;
const flaky = tool({ name: 'flaky', retry: { attempts: 3, initialMs: 10 } }, 'read', 'value', z.object({}), () => {
  tries += 1;
  if (tries < 3) throw new Error('not yet');
  return tries;
});
const WITH: RigOptions = { capabilities: [ids, pays, flaky], identity: IDENTITY, receipts: WORKERS.privateKey };

const tell = async (rig: Rig, run: WorkflowHandle, name: 'decide' | 'control', message: object) =>
  rig.say(run, name, { token: await signedTo(run, OPERATOR.privateKey, message, { kid: 'operator' }) });

async function approve(rig: Rig, run: WorkflowHandle): Promise<string> {
  const { digest } = await rig.opened(run, ({ kind }) => kind === 'approval');
  expect(await tell(rig, run, 'decide', { kind: 'approve', digest })).toContain('approved');
  return digest;
}

/** The receipts in a store, each verified; those of one run where it is named. */
async function allIn(store: Store, run?: WorkflowHandle) {
  const of = run && { namespace: 'default', workflowId: run.workflowId };
  return (await receiptsIn(store, '', of)).map(({ key, text }) => {
    const { statement, problems } = verifyReceipt(text, IDENTITY);
    expect(problems).toEqual([]);
    return { key, statement: statement! };
  });
}

async function receiptOf(store: Store, run: WorkflowHandle): Promise<Statement['predicate']> {
  const [found, ...more] = await allIn(store, run);
  expect(more).toEqual([]);
  return found!.statement.predicate;
}

const activitiesOf = async (run: WorkflowHandle) =>
  ((await run.fetchHistory()).events ?? []).flatMap(
    (event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? [],
  );

describe('with receipts', async () => {
  const rig = await sharedRig(WITH);

  test('says who started it, who decided what, and what each node was and came to', async () => {
    const workflowId = `${rig.taskQueue}-told`;
    const input = planOf(combine('UNION', task('pays', { value: 'a' }), combine('UNION', idsOf('b'), idsOf('c'))), {
      budget: { steps: 10 },
    });
    const signed = { key: OPERATOR.privateKey, kid: 'operator', by: 'operator', workflowId };
    const token = await signMessage({ ...signed, message: { kind: 'start', ...input } });
    const run = await rig.start({ token }, workflowId);
    const digest = await approve(rig, run);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    const { nodes } = await run.query<NodesPage>('nodes');
    const found = await receiptOf(rig.store, run);
    const firstRunId = await chainOf(rig.client, workflowId);
    expect(found).toMatchObject({
      run: { namespace: 'default', workflowId, firstRunId, runId: firstRunId },
      start: { token },
      end: { outcome: 'done' },
      plan: { digest, revision: 1, bounds: expect.stringContaining('1 at-most-once') as string },
      decisions: [{ what: 'decision', said: { kind: 'approve', by: 'operator', digest, verified: true } }],
      ...{ dropped: 0, budget: { limit: { steps: 10 }, spent: { steps: 3 } } },
    });
    const recorded = found.records as readonly { readonly handle: object; readonly executor: string }[];
    expect(found.nodes).toHaveLength(5);
    for (const [at, node] of found.nodes.entries()) {
      const { id, status, executor, result, inputs = [] } = nodes[at]!;
      const refs = inputs.map((of) => nodes.find((one) => one.id === of)?.result?.ref);
      expect(node).toMatchObject({ id, status, executor, attempts: 1, inputs: refs, result });
      expect(recorded).toContainEqual(expect.objectContaining({ executor, inputs: refs, handle: result }));
    }
    expect(found.nodes[0]?.executor).toMatch(/^capability pays@\S+ at-most-once$/);
  });

  test('says how often an uncertain effect was tried, and who settled it', async () => {
    const run = await rig.start(planOf(task('pays', { value: 'x', mode: 'breaks' })));
    const digest = await approve(rig, run);
    await rig.opened(run, ({ kind }) => kind === 'uncertain');
    const settle = { action: 'resolve', node: 'node_1', outcome: 'failed', digest };
    await tell(rig, run, 'control', settle);
    await expect(run.result()).rejects.toThrow();
    const { nodes, decisions, end, records } = await receiptOf(rig.store, run);
    expect(end).toMatchObject({ outcome: 'failed' });
    expect(nodes).toMatchObject([{ status: 'failed', attempts: 1 }]);
    expect(decisions[1]).toMatchObject({
      said: { by: 'operator', action: 'resolve', node: 'node_1', outcome: 'failed' },
    });
    expect(records).toEqual([]);
  });

  test('says by which grant it was approved, and that grant is verified', async () => {
    const document = planOf(task('pays', { value: 'granted' }));
    const { id } = await giveGrant(rig, document, { key: OPERATOR.privateKey, kid: 'operator' });
    const run = await rig.start(document);
    await run.result();
    const { grants, decisions } = await receiptOf(rig.store, run);
    expect(grants).toEqual([{ id, use: 1 }]);
    expect(decisions).toMatchObject([{ said: { kind: 'approve', by: 'operator', verified: true } }]);
  });

  test('counts attempts', async () => {
    const run = await rig.start(planOf(combine('UNION', idsOf('a'), idsOf('b'))));
    await approve(rig, run);
    await run.result();
    const again = await rig.start(planOf(task('flaky', {})));
    await approve(rig, again);
    await again.result();
    expect((await receiptOf(rig.store, again)).nodes).toMatchObject([{ attempts: 3, status: 'succeeded' }]);
  });

  test('a run that was rejected leaves one, and one that never had a plan none', async () => {
    const run = await rig.start(planOf(idsOf('a')));
    const { digest } = await rig.opened(run, ({ kind }) => kind === 'approval');
    await tell(rig, run, 'decide', { kind: 'reject', digest, comment: 'no' });
    await run.result();
    expect(await receiptOf(rig.store, run)).toMatchObject({
      end: { outcome: 'rejected' },
      nodes: [{ attempts: 0, status: 'cancelled' }],
    });
    const none = await rig.start({ goal: 'x', plan: { task: 'nobody can', capability: 'unknown' } });
    await expect(none.result()).rejects.toThrow();
    expect(await allIn(rig.store, none)).toEqual([]);
    expect(await activitiesOf(none)).not.toContain('writeReceipt');
  });

  test('a run that was reset leaves another one, and the first stays', async () => {
    const run = await rig.start(planOf(idsOf('r')));
    await approve(rig, run);
    await run.result();
    const [first] = await allIn(rig.store, run);
    await (await resetRun(rig, run)).result();
    const both = await allIn(rig.store, run);
    expect(both.map(({ key }) => key)).toEqual([first!.key, `${first!.key}-2`]);
    expect(both[0]).toEqual(first);
    expect(new Set(both.map(({ statement }) => statement.predicate.run.runId)).size).toBe(2);
  });

  test('upkeep keeps them, however old, though no server knows the run', async () => {
    const before = await allIn(rig.store);
    expect(before.length).toBeGreaterThan(0);
    const old: Store = {
      ...rig.store,
      async *list(...where) {
        for await (const found of rig.store.list(...where))
          yield { ...found, at: found.key.startsWith('probe/') ? found.at : 0 };
      },
    };
    const place = { client: rig.client, namespace: 'default', address: '' };
    const { namespaceInfo } = await rig.connection.workflowService.describeNamespace(place);
    await collect(old, [place], { remove: true, gone: [namespaceInfo?.id ?? ''], ageMs: 0 });
    for await (const { key } of rig.store.list('runs/')) expect(key).toContain('/starts/');
    expect(await allIn(rig.store)).toEqual(before);
  });
});

test("an agent's run has its own, with the decisions that were made in it", async () => {
  const rig = await ownRig({
    ...WITH,
    agents: [defineAgent({ name: 'payer', description: 'Pays.', instructions: 'Pay.', capabilities: [pays] })],
    model: scriptedClient([call('pays', { value: 'by the agent' }), finish('paid')]),
  });
  const run = await rig.start({ goal: 'Pay', plan: { task: 'Pay it', agent: 'payer' } });
  await approve(rig, run);
  const child = await rig.childOf(run);
  const digest = await approve(rig, child);
  await run.result();
  await expect.poll(() => allIn(rig.store, child)).toHaveLength(1);
  const own = await receiptOf(rig.store, child);
  expect(own).toMatchObject({ decisions: [{ said: { digest } }], loop: { round: expect.any(Number) as number } });
  expect(own.run.firstRunId).toBe(await chainOf(rig.client, run.workflowId));
  expect(JSON.stringify(own.records)).toContain('capability pays@');
});

test('a run that went on in a new history tells of both', async () => {
  const rig = await ownRig({ ...WITH, budget: SHORT_HISTORIES });
  const run = await rig.start(planOf(combine('UNION', idsOf('a'), task('pays', { value: 'b' }))));
  await tell(rig, run, 'control', { action: 'pause' });
  await tell(rig, run, 'control', { action: 'resume' });
  await handOver(run);
  await approve(rig, run);
  await run.result();
  const { decisions, run: of, nodes } = await receiptOf(rig.store, run);
  expect(decisions.map(({ said }) => (said as { action?: string; kind?: string }).action ?? 'approve')).toEqual([
    ...['pause', 'resume', 'approve'],
  ]);
  expect(of.runId).not.toBe(of.firstRunId);
  expect(nodes.map(({ result }) => result?.kind)).toEqual(['set', 'set', 'set']);
});

test('without the setting no activity, no call of the store and no receipt is there', async () => {
  const { receipts: _, ...without } = WITH;
  const rig = await ownRig(without);
  const run = await rig.start(planOf(idsOf('a')));
  await approve(rig, run);
  await run.result();
  expect(await activitiesOf(run)).toEqual(['compilePlan', 'runTask']);
  expect(await allIn(rig.store)).toEqual([]);
});

test('an encrypted store seals it', async () => {
  const encryption = { keys: { a: Buffer.alloc(32, 7).toString('base64') }, current: 'a' };
  const { store: below, kept } = createMemoryStore();
  const rig = await ownRig({ ...WITH, store: below, encryption });
  const run = await rig.start(planOf(idsOf('a')));
  const digest = await approve(rig, run);
  await run.result();
  expect((await receiptOf(rig.store, run)).plan.digest).toBe(digest);
  const sealed = [...kept].filter(([key]) => key.startsWith('receipts/'));
  expect(sealed).toHaveLength(1);
  for (const part of ['payload', digest, 'operator']) expect(Buffer.from(sealed[0]![1]).includes(part)).toBe(false);
});

describe('while it cannot be written', () => {
  const failing = (store: Store, fails: () => boolean): Store => ({
    ...store,
    put: (key, bytes) =>
      key.startsWith('receipts/') && fails()
        ? Promise.reject(new StoreError('unwritable', 'the disk is full'))
        : store.put(key, bytes),
  });

  test('it is tried again, and the run then ends as it would', async () => {
    let times = 0;
    const rig = await ownRig({ ...WITH, storeOf: (store) => failing(store, () => ++times < 3) });
    const run = await rig.start(planOf(idsOf('a')));
    await approve(rig, run);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(times).toBe(3);
    await receiptOf(rig.store, run);
  });

  test('for good: the run ends as it would, and says so', { timeout: 180_000, tags: ['slow'] }, async () => {
    const rig = await ownRig({ ...WITH, storeOf: (store) => failing(store, () => true) });
    const run = await rig.start(planOf(idsOf('a')));
    await approve(rig, run);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect((await rig.trace(run, 'closed')).at(-1)?.text).toContain('its receipt was not written');
    expect(await allIn(rig.store)).toEqual([]);
  });
});

test('whoever takes its name with other bytes hides nothing', async () => {
  const rig = await ownRig(WITH);
  const run = await rig.start(planOf(idsOf('a')));
  await rig.opened(run, ({ kind }) => kind === 'approval');
  const firstRunId = await chainOf(rig.client, run.workflowId);
  const of = { namespace: 'default', workflowId: run.workflowId };
  await putReceipt(rig.store, { ...of, firstRunId }, new Date().toISOString(), Buffer.from('{}'));
  await approve(rig, run);
  await run.result();
  const found = await receiptsIn(rig.store, '', of);
  expect(found.map(({ text }) => verifyReceipt(text, IDENTITY).problems.length)).toEqual([1, 0]);
});
