/**
 * What the gate costs: 200 effects at once, each of which its worker asks the run about, beside as many reads, which nobody
 * asks about. On one real server, one worker. Prints one JSON line per pair, and one with the medians.
 *
 *   npx tsx bench/gate.ts [rounds]
 */

import { loadavg } from 'node:os';
import { median } from './median.ts';
import { print, round3 } from './print.ts';
import { withServer, type BenchServer } from './server.ts';
import { documentOf, tree } from './shapes.ts';

const ROUNDS = Number(process.argv[2] ?? 5);
const EFFECTS = 200;
const NODES = 2 * EFFECTS - 1;

await withServer(async (server) => {
  await run(server, 'write', 'warm-up');
  const more: number[] = [];
  const ratios: number[] = [];
  for (let round = 1; round <= ROUNDS; round++) {
    const reads = await run(server, 'noop', `${round}`);
    const writes = await run(server, 'write', `${round}`);
    more.push((writes - reads) / EFFECTS);
    ratios.push(writes / reads);
    print({ case: 'gate', round, readsMs: round3(reads), writesMs: round3(writes), load: loadavg()[0] });
  }
  const msPerEffect = round3(median(more));
  print({ case: 'gate, medians', effectsAtOnce: EFFECTS, rounds: ROUNDS, msPerEffect, ratio: round3(median(ratios)) });
});

async function run({ plans }: BenchServer, capability: string, name: string): Promise<number> {
  const options = { approval: { rules: [{ capability: 'write' }] }, concurrency: EFFECTS };
  const workflowId = `gate-${capability}-${name}`;
  const started = await plans.start(
    documentOf(tree(NODES), () => ({ capability })),
    { workflowId, options },
  );
  if (!started.ok) throw new Error(JSON.stringify(started.issues.slice(0, 3)));
  let { phase, digest } = (await started.run.view(['status'])).status;
  while (phase === 'drafting') ({ phase, digest } = (await started.run.view(['status'])).status);
  const from = performance.now();
  if (capability === 'write') await started.run.decide({ kind: 'approve', digest, by: 'operator' });
  const end = await started.run.end();
  if (end.how !== 'completed') throw new Error(JSON.stringify(end));
  return performance.now() - from;
}
