/**
 * What a run that waits for a person takes of the memory of its worker while it is cached there, before its nodes have run and
 * after: growth of the heaps of the threads that have the runs, without garbage, over many such runs. What the worker's main
 * thread keeps of plans does not grow with the runs (`createRevisionCache`).
 *
 *   npx tsx bench/cached.ts
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { heapOfThreads } from './contenders/heap.ts';
import { print } from './print.ts';
import { withServer, type BenchServer } from './server.ts';
import { documentOf, tree } from './shapes.ts';

/** Below the number of runs that a worker caches by default, all together. */
const RUNS = 150;
const FINISHED_RUNS = 20;
const SIZES = [31, 1023];

await withServer(async (server) => {
  await waiting(server, RUNS, 31, 'warm-up');
  for (const nodes of SIZES)
    await measure('waits for approval', nodes, RUNS, () => waiting(server, RUNS, nodes, 'cached'));
  await finished(server, 4, 31, 'warm-up');
  for (const nodes of SIZES)
    await measure('its nodes are done', nodes, FINISHED_RUNS, () => finished(server, FINISHED_RUNS, nodes, 'finished'));
});

async function measure(run: string, nodes: number, runs: number, open: () => Promise<void>): Promise<void> {
  const { others: before } = await heapOfThreads();
  await open();
  const kBPerRun = Math.round(((await heapOfThreads()).others - before) / runs / 1000);
  print({ case: 'memory of a cached run', run, nodes, runs, kBPerRun });
}

async function waiting({ plans }: BenchServer, runs: number, nodes: number, name: string): Promise<void> {
  for (let n = 0; n < runs; n++) {
    const started = await plans.start(documentOf(tree(nodes)), { workflowId: `${name}-${nodes}-${n}` });
    if (!started.ok) throw new Error(JSON.stringify(started.issues.slice(0, 3)));
    while ((await started.run.view(['status'])).status.phase !== 'awaiting-approval');
  }
}

/** An activity for each node, and a question after them all. */
async function finished({ plans }: BenchServer, runs: number, nodes: number, name: string): Promise<void> {
  const { goal, plan } = documentOf(tree(nodes));
  const asks = { type: 'task', task: 'Done?', capability: 'ask', arguments: { question: 'Done?' }, input: plan };
  for (let n = 0; n < runs; n++) {
    const started = await plans.start(
      { goal, plan: asks },
      { workflowId: `${name}-${nodes}-done-${n}`, options: { approval: 'effects', lane: 'visible' } },
    );
    if (!started.ok) throw new Error(JSON.stringify(started.issues.slice(0, 3)));
    // On a busy machine a query may go unanswered.
    while ((await started.run.view(['status']).catch(() => undefined))?.status.counts['waiting'] !== 1)
      await sleep(200);
  }
}
