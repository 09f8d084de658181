/** What a node writes to is reckoned when its plan is compiled, shown with its effect, and part of what is approved. */

import { expect, test } from 'vitest';
import { z } from 'zod';
import { defineCapability } from '../../src/capabilities/index.ts';
import { ids, tool } from '../support/capabilities.ts';
import { combine, task } from '../support/plans.ts';
import { createSet } from '../../src/plan/algebra/index.ts';
import { openActivities } from './rig.ts';

const plain = tool('set', 'idempotent', 'set', z.object({ magnet: z.string() }), ({ arguments: { magnet } }) =>
  createSet([{ id: magnet }]),
);
const set = defineCapability({ ...plain, resource: ({ magnet }) => magnet });
const setting = (magnet: string) => task('set', { magnet });
const pair = { goal: 'Set', plan: combine('UNION', setting('magnet-1'), setting('magnet-2')) };
const alone = { goal: 'Set', plan: setting('magnet-1') };

test('each node has its own, in the plan shape, in its label and in the text that is approved', async () => {
  const rig = await openActivities([set]);
  const { executors, executorOf, text } = await rig.compiled(pair);
  expect(executorOf.map((place) => [executors[place]?.resource, executors[place]?.label])).toEqual([
    ['magnet-1', 'capability set@1 idempotent on magnet-1'],
    ['magnet-2', 'capability set@1 idempotent on magnet-2'],
    [undefined, 'operator'],
  ]);
  expect(text).toContain('[capability set@1 idempotent on magnet-1]');
});

test('a plan without one is what it was, to the byte', async () => {
  const rig = await openActivities([plain]);
  const planShape = await rig.compiled(alone);
  expect(planShape.executors).toEqual([
    {
      label: 'capability set@1 idempotent',
      kind: 'task',
      effect: 'idempotent',
      name: 'set',
      startToCloseMs: 300_000,
      heartbeatMs: 3_000,
      retry: { attempts: 5, initialMs: 1000, factor: 4 },
    },
  ]);
  expect(JSON.stringify(planShape)).not.toContain('resource');
  // Nor does a resource change what the plan is.
  expect((await (await openActivities([set])).compiled(alone)).digest).toBe(planShape.digest);
});

test('a worker that reckons another one refuses the node; one that reckons the same carries it out', async () => {
  const rig = await openActivities([set]);
  const { revisionRef: revision } = await rig.compiled(alone);
  const request = { revision, nodeId: 'node_1', inputs: [], work: 1 };
  expect(await rig.call('runTask', request)).toMatchObject({ kind: 'set' });
  for (const resource of [() => 'magnet-2', () => '']) {
    const other = await openActivities([defineCapability({ ...plain, resource })], { store: rig.dependencies.store });
    expect(await other.call('runTask', request)).toMatchObject({ deferred: 'version' });
  }
});

test('a node whose resource has changed is another node', async () => {
  const rig = await openActivities([set]);
  const { revisionRef: base } = await rig.compiled(alone);
  const moved = await openActivities([defineCapability({ ...plain, resource: 'all-magnets' })], {
    store: rig.dependencies.store,
  });
  for (const [one, same] of [[rig, 0] as const, [moved, -1] as const]) {
    expect(await one.call('compilePlan', { source: { document: alone }, base })).toMatchObject({ sameAs: [same] });
  }
});

test('a plan that leaves it to the result of another step is refused, at its arguments', async () => {
  const rig = await openActivities([ids, set]);
  const steps = [
    { step_id: 1, capability: 'ids', arguments: { ids: ['magnet-1'] }, description: 'Find' },
    { step_id: 2, capability: 'set', arguments: { magnet: 'result_from_step_1' }, description: 'Set' },
  ];
  expect(await rig.call('compilePlan', { source: { document: { goal: 'Set', steps } } })).toMatchObject({
    ok: false,
    issues: expect.arrayContaining([
      expect.objectContaining({
        code: 'unknown-resource',
        path: '$.steps[1].arguments',
        message: expect.stringContaining('write it out in the plan (arguments of the capability "set")'),
      }),
    ]),
  });
});
