/**
 * What a node costs whose activity another worker has: a chain of nodes that do nothing there, beside a chain of reads that
 * the product's own worker carries out. On one real server, both workers here. Prints JSON lines, the last with medians.
 *
 *   npm run bench -- languages
 */

import { loadavg } from 'node:os';
import { Worker } from '@temporalio/worker';
import { z } from 'zod';
import { activityCapability } from '../src/capabilities/builtin/index.ts';
import { median } from './median.ts';
import { print, round3 } from './print.ts';
import { withServer, type BenchServer } from './server.ts';
import { chain, documentOf } from './shapes.ts';

const ROUNDS = Number(process.argv[2] ?? 5);
const NODES = 30;
const taskQueue = 'other';

const other = (name: string, effect: 'read' | 'at-most-once') =>
  activityCapability({
    ...{ name, description: 'Nothing.', input: z.object({}), output: 'set', effect, activity: 'nothing', taskQueue },
  });
const CHAINS = ['noop', 'other-read', 'other-effect'] as const;

await withServer(
  async ({ plans }) => {
    for (const capability of CHAINS) await run(plans, capability);
    const ms = Object.fromEntries(CHAINS.map((name) => [name, [] as number[]]));
    for (let round = 1; round <= ROUNDS; round++) {
      for (const capability of CHAINS) ms[capability]?.push((await run(plans, capability)) / NODES);
      const last = Object.entries(ms).map(([name, all]) => [name, round3(all.at(-1) ?? 0)]);
      print({ case: 'languages', round, msPerNode: Object.fromEntries(last), load: loadavg()[0] });
    }
    const medians = Object.entries(ms).map(([name, all]) => [name, round3(median(all))]);
    print({ case: 'languages, medians', nodes: NODES, rounds: ROUNDS, msPerNode: Object.fromEntries(medians) });
  },
  async (connection) => [await Worker.create({ connection, taskQueue, activities: { nothing: async () => [] } })],
  { capabilities: [other('other-read', 'read'), other('other-effect', 'at-most-once')] },
);

async function run(plans: BenchServer['plans'], capability: string): Promise<number> {
  const started = await plans.start(
    documentOf(chain(NODES), () => ({ capability })),
    { options: { approval: 'required' } },
  );
  if (!started.ok) throw new Error(JSON.stringify(started.issues.slice(0, 3)));
  let { status } = await started.run.view(['status']);
  while (status.phase === 'drafting') ({ status } = await started.run.view(['status']));
  const from = performance.now();
  await started.run.decide({ kind: 'approve', digest: status.digest, by: 'operator' });
  const end = await started.run.end();
  if (end.how !== 'completed') throw new Error(JSON.stringify(end));
  return performance.now() - from;
}
