/** One writer at a time, on the server: the nodes of a run that write to one resource take turns. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { defineCapability } from '../../src/capabilities/index.ts';
import type { NodesPage } from '../../src/contract/index.ts';
import { createSet } from '../../src/algebra/index.ts';
import { createBarrier } from '../support/capabilities.ts';
import { combine, planOf, task } from '../support/plans.ts';
import { openRig, type Rig } from '../support/rig.ts';

const barrier = createBarrier();
const begun: string[] = [];
const set = defineCapability({
  name: 'set',
  description: 'Sets a magnet.',
  input: z.object({ magnet: z.string(), at: z.string() }),
  output: 'set',
  effect: 'idempotent',
  resource: ({ magnet }) => magnet,
  async execute({ arguments: { at }, signal }) {
    begun.push(at);
    await barrier.wait(at, signal);
    return createSet([{ id: at }]);
  },
});

let rig: Rig;
beforeAll(async () => {
  rig = await openRig({ capabilities: [set] });
});
afterAll(() => rig.close());

test('the second waits until the first has ended, says for what, and a third that writes elsewhere does not', async () => {
  const setting = (magnet: string, at: string) => task('set', { magnet, at });
  const left = combine('UNION', setting('magnet-12', 'first'), setting('magnet-12', 'second'));
  const run = await rig.start(planOf(combine('UNION', left, setting('magnet-7', 'third'))));
  await rig.approve(run);
  await Promise.all([barrier.reached('first'), barrier.reached('third')]);
  const { nodes } = await run.query<NodesPage>('nodes');
  expect(nodes[1]).toMatchObject({ status: 'pending', waits: 'waits for magnet-12, which node_1 writes' });
  expect(begun.toSorted()).toEqual(['first', 'third']);
  barrier.open('first');
  await barrier.reached('second');
  barrier.open('second');
  barrier.open('third');
  expect(await run.result()).toMatchObject({ outcome: 'done', result: { count: 3 } });
  expect(begun.length).toBe(3);
});
