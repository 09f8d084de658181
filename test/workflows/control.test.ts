import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CapabilityError } from '../../src/capabilities/index.ts';
import { createBarrier, ids, waits, writes, tool } from '../support/capabilities.ts';
import { combine, idsOf, planOf, task } from '../support/plans.ts';
import { sharedRig } from '../support/rig.ts';

const barrier = createBarrier();
const written: string[] = [];
const keys: string[] = [];
let broken = true;
/** Fails until the test has mended it. */
const mended = tool('mended', 'idempotent', 'text', z.object({ name: z.string() }), (given) => {
  keys.push(given.idempotencyKey);
  if (broken) throw new CapabilityError('CRITICAL', 'the pump is off');
  return given.arguments.name;
});

const rig = await sharedRig({ capabilities: [ids, waits(barrier), mended, writes('fire', 'at-most-once', written)] });

const control = (run: WorkflowHandle, action: string, node?: string, over: object = {}) =>
  rig.say(run, 'control', { action, by: 'operator', ...(node !== undefined && { node }), ...over });
async function started(plan: object, options: object = {}): Promise<WorkflowHandle> {
  const run = await rig.startApproved(planOf(plan, options));
  return run;
}
const steps = (...list: readonly [string, object][]) => ({
  plan: {
    goal: 'Steer',
    steps: list.map(([capability, args], i) => ({ step_id: i + 1, capability, arguments: args, description: `${i}` })),
  },
});

test('a paused run starts nothing, ends what is under way, hears everything, and goes on when it is resumed', async () => {
  const plan = combine('UNION', task('waits', { at: 'pause' }), idsOf('b'));
  const { run, digest } = await rig.startAsked(planOf(plan, { concurrency: 1, lane: 'visible' }));
  expect(await control(run, 'resume')).toBe('it is not paused');
  expect(await control(run, 'pause')).toContain('paused');
  expect(await control(run, 'pause')).toBe('it is paused already');
  await rig.say(run, 'decide', { kind: 'approve', digest, by: 'operator' });
  expect(await rig.until(run, () => true)).toMatchObject({ phase: 'running', paused: true, counts: { pending: 3 } });
  expect(rig.begun(run)).toEqual({});
  await control(run, 'resume');
  await barrier.reached('pause');
  await control(run, 'pause');
  barrier.open('pause');
  await rig.until(run, ({ counts }) => counts.succeeded === 1 && counts.running === 0);
  expect(rig.begun(run)).toEqual({ node_1: 1 });
  await control(run, 'resume');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
});

test('cancel-node stops work under way and skips what depends on it; other branches go on', async () => {
  const plan = combine(
    'UNION',
    combine('UNION', task('waits', { at: 'endless' }), idsOf('a')),
    task('waits', { at: 'c' }),
  );
  const run = await started(plan, { onFailure: 'partial' });
  await barrier.reached('endless');
  expect(await control(run, 'cancel-node', 'node_9')).toContain('has no node_9');
  expect(await control(run, 'cancel-node', 'node_1')).toContain('asked to stop');
  await rig.until(run, ({ counts }) => counts.cancelled === 1);
  expect(await control(run, 'cancel-node', 'node_1')).toBe('node_1 is cancelled already');
  expect(await control(run, 'cancel-node', 'node_2')).toMatch(/has succeeded/);
  barrier.open('c');
  expect(await run.result()).toMatchObject({
    outcome: 'partial',
    missing: [
      { id: 'node_1', status: 'cancelled' },
      { id: 'node_3', status: 'skipped', cause: 'node_1' },
      { id: 'node_5', status: 'skipped', cause: 'node_1' },
    ],
  });
  expect((await run.describe()).status.name).toBe('COMPLETED');
});

test('a failed node under onFailure "ask" waits for a person; retried by hand it has a new idempotency key, and its dependents go on', async () => {
  broken = true;
  keys.length = 0;
  const run = await rig.startApproved({
    ...steps(['mended', { name: 'x' }], ['fire', { value: 'result_from_step_1' }]),
    options: { onFailure: 'ask' },
  });
  const item = await rig.opened(run, ({ kind }) => kind === 'failed');
  expect(item).toMatchObject({
    id: 'node_1',
    send: { name: 'control', input: { action: 'retry-node', node: 'node_1' } },
  });
  expect(await control(run, 'retry-node', 'node_2')).toBe('node_2 is pending already');
  broken = false;
  expect(await control(run, 'retry-node', 'node_1')).toContain('runs again');
  expect(await run.result()).toMatchObject({ outcome: 'done' });
  expect(keys.map((key) => key.split('/').at(-1))).toEqual(['0.0.0', '0.0.1']);
  expect(rig.begun(run)).toEqual({ node_1: 2, node_2: 1, node_3: 1 });
});

describe('an uncertain effect', () => {
  const fire = (value: string) => ['fire', { value, mode: 'breaks' }] as [string, object];

  test('waits with what depends on it until a person says that it happened, with its result', async () => {
    written.length = 0;
    const run = await rig.startApproved(steps(fire('x'), ['ids', { ids: ['a'] }], ['fire', { value: 'after' }]));
    const item = await rig.opened(run, ({ kind }) => kind === 'uncertain');
    expect(item.text).toContain('did node_1');
    expect((await rig.statuses(run)).slice(0, 3)).toEqual(['uncertain', 'succeeded', 'pending']);
    expect(await control(run, 'resolve', 'node_2', { outcome: 'failed' })).toContain('only a node that waits');
    expect(await control(run, 'resolve', 'node_1', { outcome: 'succeeded' })).toContain('value: expected');
    expect(await control(run, 'resolve', 'node_1', { outcome: 'succeeded', value: 7 })).toMatch(/list of ids/);
    expect(await control(run, 'resolve', 'node_1', { outcome: 'succeeded', value: ['fired'] })).toContain(
      'counts as succeeded',
    );
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(written).toHaveLength(2);
    expect(rig.begun(run)).toMatchObject({ node_1: 1, node_3: 1 });
  });
});

test('whatever was controlled is in the audit with who said it; what was refused is there too', async () => {
  const run = await rig.start(planOf(idsOf('a')));
  await rig.opened(run, () => true);
  await run.signal('control', { action: 'pause', by: 'operator', role: 'operator', comment: 'lunch' });
  await run.signal('control', { action: 'stop', by: 'operator' });
  await run.signal('control', { action: 'resume', by: 'reviewer' });
  await rig.approve(run);
  await run.result();
  expect(await rig.trace(run, 'control')).toMatchObject([
    { said: { action: 'pause', by: 'operator', role: 'operator', comment: 'lunch', verified: false } },
    { said: { action: 'resume', by: 'reviewer' } },
  ]);
  expect((await rig.trace(run, 'refused'))[0]?.text).toContain('action: expected pause or resume');
});
