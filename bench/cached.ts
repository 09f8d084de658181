/**
 * What a run that waits for a person takes of the memory of its worker while it is cached there: growth of the heaps of all
 * threads, without garbage, over many such runs, in this process, which has the worker's sandbox, its activities and the client.
 *
 *   npx tsx bench/cached.ts
 */

import { heapOfThreads } from './contenders/heap.ts';
import { print } from './print.ts';
import { withServer, type BenchServer } from './server.ts';
import { documentOf, tree } from './shapes.ts';

/** Below the number of runs that a worker caches by default, all together. */
const RUNS = 150;
const SIZES = [31, 1023];

await withServer(async (server) => {
  await waiting(server, RUNS, 31, 'warm-up');
  for (const nodes of SIZES) {
    const before = await heapOfThreads();
    await waiting(server, RUNS, nodes, 'cached');
    const kB = Math.round(((await heapOfThreads()) - before) / RUNS / 1000);
    print({ case: 'memory of a cached run', nodes, runs: RUNS, kBPerRun: kB });
  }
});

async function waiting({ plans }: BenchServer, runs: number, nodes: number, name: string): Promise<void> {
  for (let n = 0; n < runs; n++) {
    const started = await plans.start(documentOf(tree(nodes)), { workflowId: `${name}-${nodes}-${n}` });
    if (!started.ok) throw new Error(JSON.stringify(started.issues.slice(0, 3)));
    while ((await started.run.view(['status'])).status.phase !== 'awaiting-approval');
  }
}
