/** What was started and has not begun is held back by whatever stops it: more is started than a worker carries out at once. */

import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createSet } from '../../src/plan/algebra/index.ts';
import { createBarrier, waits, tool } from '../support/capabilities.ts';
import { combine, planOf, task } from '../support/plans.ts';
import { sharedRig, ownRig } from '../support/rig.ts';

const barrier = createBarrier();
const written: string[] = [];
const writer = (effect: 'idempotent' | 'at-most-once') =>
  tool({ name: effect, usesGoal: false }, effect, 'set', z.object({ name: z.string() }), (given) => {
    written.push(given.arguments.name);
    return createSet([{ id: given.arguments.name }]);
  });

const rig = await sharedRig({
  capabilities: [waits(barrier), writer('idempotent'), writer('at-most-once')],
  concurrentNodes: 1,
});

const control = (run: WorkflowHandle, action: string, node?: string) =>
  rig.say(run, 'control', { action, by: 'operator', ...(node !== undefined && { node }) });
const decide = (run: WorkflowHandle, kind: string, digest: string, over: object = {}) =>
  rig.say(run, 'decide', { kind, digest, by: 'operator', ...over });

const pair = (name: string) =>
  combine('UNION', task('at-most-once', { name: `${name} a` }), task('idempotent', { name: `${name} b` }));

/** Two writes that are approved and started, and wait for the only place of the worker: another run has it. */
async function started(name: string, options: object = {}) {
  const { run, digest } = await rig.startAsked(planOf(pair(name), options));
  const other = await rig.startApproved(planOf(task('waits', { at: name })));
  await barrier.reached(name);
  await decide(run, 'approve-part', digest, { nodes: ['node_1', 'node_2'] });
  await rig.until(run, ({ counts }) => counts.running === 2);
  const freePlace = async () => {
    barrier.open(name);
    await other.result();
  };
  return { run, digest, freePlace };
}
const writtenOf = (name: string) => written.filter((one) => one.startsWith(`${name} `)).toSorted();

describe('writes that were started and have not begun', () => {
  test.each<
    [
      string,
      (run: WorkflowHandle, digest: string) => Promise<unknown>,
      (run: WorkflowHandle, digest: string) => Promise<unknown>,
    ]
  >([
    ['pause', (run) => control(run, 'pause'), (run) => control(run, 'resume')],
    ['withdraw', (run, digest) => decide(run, 'withdraw', digest), (run, digest) => decide(run, 'approve', digest)],
  ])('are held back by %s, and begin once it is taken back', async (name, stop, goOn) => {
    const { run, digest, freePlace } = await started(name);
    await stop(run, digest);
    await freePlace();
    await rig.until(run, ({ counts }) => counts.running === 0);
    expect(writtenOf(name)).toEqual([]);
    const held = (await rig.trace(run, 'node')).filter(({ text }) => text.includes('held back before it began'));
    expect(held.map(({ text }) => text.split(' ')[0]).toSorted()).toEqual(['node_1', 'node_2']);
    await goOn(run, digest);
    if (name === 'pause') await decide(run, 'approve', digest);
    expect(await run.result()).toMatchObject({ outcome: 'done' });
    expect(writtenOf(name)).toEqual([`${name} a`, `${name} b`]);
  });

  test('never begin once the plan was rejected', async () => {
    const { run, digest, freePlace } = await started('reject');
    expect(await decide(run, 'reject', digest)).toBe('rejected');
    await freePlace();
    expect(await run.result()).toMatchObject({ outcome: 'rejected' });
    expect(writtenOf('reject')).toEqual([]);
  });

  test('never begin when the run is terminated', async () => {
    const { run, freePlace } = await started('terminate');
    await run.terminate();
    await freePlace();
    const after = await rig.start(planOf(task('waits', { at: 'after' })));
    barrier.open('after');
    await rig.approve(after);
    await after.result();
    expect(writtenOf('terminate')).toEqual([]);
  });
});

test('sixty effects that ask at once all begin, each once', { tags: ['slow'], timeout: 240_000 }, async () => {
  const count = 60;
  const crowd = await ownRig({ capabilities: [writer('idempotent')] });
  const names = Array.from({ length: count }, (_, n) => `crowd ${n}`);
  const [first, ...rest] = names.map((name) => task('idempotent', { name }));
  const tree = rest.reduce<object>((left, right) => combine('UNION', left, right), first ?? {});
  const steps = await crowd.run(planOf(tree, { concurrency: count }));
  expect(steps).toMatchObject({ outcome: 'done', result: { count } });
  expect(writtenOf('crowd')).toEqual(names.toSorted());
});
