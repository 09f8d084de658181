/**
 * The engine against a workflow that someone wrote by hand for the same shape, on one real server, taken in turns.
 * Prints one JSON line per shape: the median ratio of wall time, and events and bytes of history, which are exact.
 *
 *   npx tsx bench/engine.ts [rounds] [lane]
 */

import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { compilePlan } from '../src/plan/index.ts';
import { median } from './median.ts';
import { print, round3 } from './print.ts';
import { withServer, type BenchServer } from './server.ts';
import { chain, documentOf, tree, type Shape } from './shapes.ts';
import { twinNode } from './twin/activities.ts';
import type { twinWorkflow } from './twin/workflows.ts';

const ROUNDS = Number(process.argv[2] ?? 7);
const LANE = (process.argv[3] ?? 'auto') as 'auto' | 'visible' | 'parts';
const SHAPES = [tree(1023), chain(63)];

await withServer(
  async (server) => {
    for (const shape of SHAPES) await measure(server, shape);
  },
  async (connection) => [
    await Worker.create({
      connection,
      taskQueue: 'twin',
      workflowsPath: fileURLToPath(new URL('twin/workflows.ts', import.meta.url)),
      activities: { twinNode },
    }),
  ],
);

async function measure({ client, plans }: BenchServer, shape: Shape): Promise<void> {
  const document = documentOf(shape);
  const compiled = compilePlan(document);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  const { plan } = compiled;
  const { name, inputs } = shape;
  const nodes = inputs.length;
  const runs = { engine: [] as Run[], twin: [] as Run[] };
  const load = loadavg()[0] ?? 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const id = `${name.replaceAll(/\W/g, '')}-${round}`;
    const a = await timed(client, `engine-${id}`, () =>
      plans.start(document, { workflowId: `engine-${id}`, options: { approval: 'effects', lane: LANE } }),
    );
    const b = await timed(client, `twin-${id}`, () =>
      client.workflow.start<typeof twinWorkflow>('twinWorkflow', {
        taskQueue: 'twin',
        workflowId: `twin-${id}`,
        args: [{ revision: plan.digest.slice(0, 43), inputs }],
      }),
    );
    // The first round warms both up.
    if (round === 0) continue;
    runs.engine.push(a);
    runs.twin.push(b);
  }
  const wall = (which: keyof typeof runs) => median(runs[which].map(({ ms }) => ms));
  const events = (which: keyof typeof runs) => median(runs[which].map((run) => run.events)) / nodes;
  const bytes = (which: keyof typeof runs) => median(runs[which].map((run) => run.bytes)) / nodes;
  const ratios = runs.engine.map((run, i) => round3(run.ms / (runs.twin[i]?.ms ?? Number.NaN)));
  const line = {
    case: `engine/hand-written, ${name}`,
    rounds: ROUNDS,
    // Of the rounds' own ratios: neighbours in time share what else the machine does.
    wallRatio: median(ratios),
    wallRatioByRound: ratios,
    msPerNode: { engine: round3(wall('engine') / nodes), twin: round3(wall('twin') / nodes) },
    eventsPerNode: { engine: round3(events('engine')), twin: round3(events('twin')) },
    historyRatio: round3(bytes('engine') / bytes('twin')),
    bytesPerNode: { engine: Math.round(bytes('engine')), twin: Math.round(bytes('twin')) },
    loadBefore: round3(load),
  };
  print(line);
}

interface Run {
  readonly ms: number;
  readonly events: number;
  readonly bytes: number;
}

async function timed(client: Client, workflowId: string, start: () => Promise<unknown>): Promise<Run> {
  const from = performance.now();
  await start();
  const handle = client.workflow.getHandle(workflowId);
  await handle.result();
  const ms = performance.now() - from;
  const { historyLength: events, historySize: bytes = 0 } = await handle.describe();
  return { ms, events, bytes };
}
