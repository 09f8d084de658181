/** A run goes on from a closed one: what that has finished is not done again. What was done is told by a ledger outside Temporal. */

import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type WorkflowHandle } from '@temporalio/client';
import type { ApplicationFailure } from '@temporalio/common';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import { CapabilityError } from '../../src/capabilities/index.ts';
import type { NodesPage, PlanView, RunResult } from '../../src/protocol/index.ts';
import { ids, writes, tool } from '../support/capabilities.ts';
import { combine, planOf, task, idsOf } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

/** What was carried out, in order. */
const ledger: string[] = [];
const paid: string[] = [];
let isBroken = true;

let world = '';
const reads = tool('reads', 'read', 'set', z.object({ value: z.string() }), ({ arguments: { value } }) => {
  ledger.push(value);
  return createSet([{ id: `${value}${world}` }]);
});
const reports = tool('reports', 'read', 'text', z.object({}), () => {
  ledger.push('report');
  if (isBroken) throw new CapabilityError('CRITICAL', 'no paper');
  return 'reported';
});
const pays = writes('pays', 'at-most-once', paid);

const read = (value: string) => task('reads', { value });
const sum = (left: object, right: object) => combine('UNION', left, right);
const report = (input: object) => task('reports', {}, { input });
const EIGHT = report(sum(sum(read('a'), read('b')), sum(read('c'), read('d'))));

const rig = await sharedRig({ capabilities: [ids, reads, reports, pays] });
beforeEach(() => {
  ledger.length = 0;
  paid.length = 0;
  isBroken = true;
  world = '';
});

const planFor = (plan: object, reuse?: string, options: object = {}) =>
  planOf(plan, { ...(reuse !== undefined && { reuse }), ...options });

async function failed(plan: object, reuse?: string): Promise<string> {
  const run = await rig.startApproved(planFor(plan, reuse));
  await expect(run.result()).rejects.toThrow();
  return run.workflowId;
}

const settle = (run: WorkflowHandle, node: string) =>
  rig.say(run, 'control', { action: 'resolve', node, outcome: 'succeeded', value: ['paid'], by: 'operator' });
const told = async (run: WorkflowHandle) => (await run.query<PlanView>('plan')).reuse ?? '';

test('a run that failed at the last of its eight nodes goes on with that node alone', async () => {
  const first = await failed(EIGHT);
  // What fails in a part is tried once more by itself.
  expect([...new Set(ledger)].toSorted()).toEqual(['a', 'b', 'c', 'd', 'report']);
  ledger.length = 0;
  isBroken = false;
  const run = await rig.start(planFor(EIGHT, first));
  const open = await rig.opened(run, ({ id }) => id === 'approval');
  expect(open.text).toMatch(/^approve one node of the plan/);
  expect((await rig.until(run, () => true)).counts).toMatchObject({ total: 8, reused: 7, pending: 1 });
  expect(await told(run)).toBe(`7 of 8 nodes are reused from run ${first}`);
  const { nodes } = await run.query<NodesPage>('nodes');
  expect(
    nodes.filter(({ reusedFrom }) => reusedFrom?.run === first && !Number.isNaN(Date.parse(reusedFrom.at))),
  ).toHaveLength(7);
  await rig.approve(run);
  expect(((await run.result()) as RunResult).outcome).toBe('done');
  expect(ledger).toEqual(['report']);
  expect(Object.keys(rig.begun(run))).toHaveLength(1);
});

test('with fresh a read runs again, and what it gives now is its result', async () => {
  const plan = sum(read('a'), read('b'));
  const done = async (reuse?: string, options: object = {}) => {
    const run = await rig.start(planFor(plan, reuse, { approval: 'effects', ...options }));
    const { result } = (await run.result()) as RunResult;
    return { id: run.workflowId, read: await rig.read(result?.ref) };
  };
  const first = await done();
  world = ' today';
  const second = await done(first.id, { fresh: true });
  expect(second.read).toMatchObject({ set: { ids: ['a today', 'b today'] } });
  // A run that goes on from that one takes what it read.
  expect((await done(second.id)).read).toEqual(second.read);
  expect(ledger).toHaveLength(4);
});

describe('a closed run stays as it was', () => {
  const plan = report(task('pays', { value: '7' }));
  const resultOf = async (from: string) => (await rig.start(planFor(plan, from, { approval: 'effects' }))).result();
  const goesOn = async (from: string) => {
    isBroken = false;
    expect(await resultOf(from)).toMatchObject({ outcome: 'done' });
    expect(paid).toHaveLength(1);
  };

  test.each<[why: string, options: object, other: object, says: RegExp]>([
    [
      'the plan is another one',
      {},
      read('z'),
      /has finished is a node of this plan.*without "reuse", which may repeat the 1 at-most-once effect/,
    ],
    ['the plan is none', {}, { task: 'x', capability: 'nothing' }, /unknown-capability|no capability/],
  ])('after a start that is refused since %s', async (_, options, other, says) => {
    const first = await failed(plan);
    const run = await rig.start(planFor(other, first, options));
    const failure = (await run.result().catch((error: unknown) => error)) as { readonly cause: ApplicationFailure };
    expect(`${failure.cause.message} ${JSON.stringify(failure.cause.details)}`).toMatch(says);
    await goesOn(first);
  });

  test('after a run that was rejected before anything began, and one that was ended', async () => {
    const first = await failed(plan);
    const { run, digest } = await rig.startAsked(planFor(plan, first));
    await expect(resultOf(first)).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/is reused by run ".*that one is open: wait for its end/) as string },
    });
    await rig.say(run, 'decide', { kind: 'reject', digest, by: 'operator' });
    expect(await run.result()).toMatchObject({ outcome: 'rejected' });
    const ended = await rig.startAsked(planFor(plan, first));
    await ended.run.terminate('the end of the test');
    await goesOn(first);
    await expect(resultOf(first)).rejects.toMatchObject({
      cause: { message: expect.stringMatching(/by one at a time; name that one: what both have finished/) as string },
    });
  });
});

test('an effect at most once that was done is not done again, and needs no approval', async () => {
  const plan = report(task('pays', { value: '10' }));
  const first = await failed(plan);
  isBroken = false;
  const run = await rig.start(planFor(plan, first, { approval: 'effects' }));
  expect(((await run.result()) as RunResult).outcome).toBe('done');
  expect(paid).toHaveLength(1);
});

test('an effect that began and has no result is uncertain here too, and starts when a person says so', async () => {
  const plan = report(task('pays', { value: '10', mode: 'breaks' }));
  const first = await rig.startApproved(planFor(plan));
  await rig.until(first, ({ counts }) => counts.uncertain === 1);
  await first.terminate('the end of the test');
  isBroken = false;
  const run = await rig.start(planFor(plan, first.workflowId));
  const open = await rig.opened(run, ({ kind }) => kind === 'uncertain');
  expect(open.text).toContain(`may have begun in run ${first.workflowId}`);
  await rig.approve(run);
  expect(paid).toHaveLength(1);
  await settle(run, open.id);
  expect(((await run.result()) as RunResult).outcome).toBe('done');
  expect(paid).toHaveLength(1);
});

test('an edit finds what the closed run has done, also where the plan before it had no use for it', async () => {
  const plan = report(sum(idsOf('g'), task('reads', { value: 'h' }, { input: task('pays', { value: '3' }) })));
  const first = await failed(plan);
  isBroken = false;
  const { run, digest } = await rig.startAsked(planFor(report(idsOf('g')), first));
  expect(await rig.say(run, 'decide', { kind: 'edit', digest, by: 'operator', plan })).toMatch(/revision 2 is open/);
  await rig.approve(run);
  expect(((await run.result()) as RunResult).outcome).toBe('done');
  expect(paid).toHaveLength(1);
});

// A store that knows less than the server, as after a restore from a copy.
const PAYS = report(task('pays', { value: 'bill' }));
const PARTS = ['runs', 'documents'];
const partOf = (part: string) => join(rig.store.place, part);
const copy = async () => {
  for (const part of PARTS) {
    await mkdir(partOf(part), { recursive: true });
    await cp(partOf(part), partOf(`${part}.copy`), { recursive: true });
  }
};
const restore = async () => {
  for (const part of PARTS) {
    await rm(partOf(part), { recursive: true, force: true });
    await rename(partOf(`${part}.copy`), partOf(part));
  }
};

test('an effect at most once of which the restored store has nothing is left to a person by the run that goes on', async () => {
  const run = await rig.start(planFor(PAYS));
  await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
  await copy();
  await rig.approve(run);
  await expect(run.result()).rejects.toThrow();
  expect(paid).toHaveLength(1);
  await restore();
  isBroken = false;
  const next = await rig.startApproved(planFor(PAYS, run.workflowId));
  const item = await rig.opened(next, ({ kind }) => kind === 'uncertain');
  expect(item.text).toContain('its history says that it was done, and the store has nothing of it');
  expect(paid).toHaveLength(1);
  await settle(next, 'node_1');
  expect(await next.result()).toMatchObject({ outcome: 'done' });
  expect(paid).toHaveLength(1);
});

test('an effect that had not begun there is done, once', async () => {
  const plan = task('pays', { value: 'later' }, { input: task('reports', {}) });
  const first = await failed(plan);
  isBroken = false;
  const next = await rig.startApproved(planFor(plan, first));
  expect(await next.result()).toMatchObject({ outcome: 'done' });
  expect(paid).toHaveLength(1);
});

test('a run whose plan is not in the store waits for the right one, and goes on', async () => {
  const run = await rig.start(planOf(idsOf('a', 'b')));
  await rig.until(run, ({ phase }) => phase === 'awaiting-approval');
  // A worker that has read nothing yet.
  await rig.stopWorker();
  for (const part of PARTS) await rename(partOf(part), partOf(`${part}.away`));
  await rig.startWorker();
  const { digest } = await run.query<PlanView>('plan');
  expect(await rig.say(run, 'decide', { kind: 'approve', digest, by: 'operator' })).toBe('approved');
  const { waits } = await rig.until(run, (status) => status.waits !== undefined);
  expect(waits).toContain('waits for the store: NO_PLAN');
  expect(await rig.statuses(run)).toEqual(['pending']);
  for (const part of PARTS) {
    await rm(partOf(part), { recursive: true, force: true });
    await rename(partOf(`${part}.away`), partOf(part));
  }
  expect(await rig.say(run, 'control', { action: 'resume', by: 'operator' })).toContain('tried');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
});
