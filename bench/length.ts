/**
 * What a node costs in long runs, which go on in new histories, beside a run of 1,001 nodes, which needs one: on one real
 * server, one worker, nothing killed. Prints one JSON line per run, and one with the ratios of the medians.
 *
 *   npx tsx bench/length.ts [rounds]
 */

import { loadavg } from 'node:os';
import { median } from './median.ts';
import { print, round3 } from './print.ts';
import { withServer, type BenchServer } from './server.ts';
import { documentOf, tree } from './shapes.ts';

const ROUNDS = Number(process.argv[2] ?? 3);
const SMALL = 1001;
/** Small runs before and after a long one, so that both meet the same machine. */
const SIZES = [SMALL, 5001, SMALL, 20_001, SMALL];

interface Measured {
  readonly nodes: number;
  readonly msPerNode: number;
  readonly cpuMsPerNode: number;
}

await withServer(async (server) => {
  await run(server, SMALL, 'warm-up');
  const all: Measured[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    for (const [at, nodes] of SIZES.entries()) all.push(await run(server, nodes, `${round}-${at}`));
  }
  const of = (nodes: number, what: 'msPerNode' | 'cpuMsPerNode') =>
    median(all.filter((one) => one.nodes === nodes).map((one) => one[what]));
  for (const nodes of new Set(SIZES)) {
    print({
      case: 'length, medians',
      nodes,
      rounds: ROUNDS,
      msPerNode: round3(of(nodes, 'msPerNode')),
      wallRatio: round3(of(nodes, 'msPerNode') / of(SMALL, 'msPerNode')),
      cpuRatio: round3(of(nodes, 'cpuMsPerNode') / of(SMALL, 'cpuMsPerNode')),
    });
  }
});

async function run({ client, plans }: BenchServer, nodes: number, name: string): Promise<Measured> {
  const workflowId = `length-${nodes}-${name}`;
  const load = loadavg()[0] ?? 0;
  const cpu = process.cpuUsage();
  const from = performance.now();
  const started = await plans.start(documentOf(tree(nodes)), { workflowId, options: { approval: 'effects' } });
  if (!started.ok) throw new Error(JSON.stringify(started.issues.slice(0, 3)));
  const end = await started.run.end();
  const msPerNode = (performance.now() - from) / nodes;
  // Of the client, the worker and its activities, which share this process; not of the server.
  const { user, system } = process.cpuUsage(cpu);
  const cpuMsPerNode = (user + system) / 1000 / nodes;
  if (end.how !== 'completed' || end.result.outcome !== 'done') throw new Error(JSON.stringify(end).slice(0, 2000));
  let [histories, events, longest] = [0, 0, 0];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
    const { historyLength } = await client.workflow.getHandle(workflowId, runId).describe();
    [histories, events, longest] = [histories + 1, events + historyLength, Math.max(longest, historyLength)];
  }
  print({
    case: `length, ${name}`,
    nodes,
    msPerNode: round3(msPerNode),
    cpuMsPerNode: round3(cpuMsPerNode),
    eventsPerNode: round3(events / nodes),
    events,
    histories,
    longest,
    loadBefore: round3(load),
  });
  return { nodes, msPerNode, cpuMsPerNode };
}
