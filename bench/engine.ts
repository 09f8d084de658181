/**
 * The engine against a workflow that someone wrote by hand for the same shape, on one real server, taken in turns.
 * Prints one JSON line per shape: the median ratio of wall time, and events and bytes of history, which are exact.
 *
 *   npx tsx bench/engine.ts [rounds]
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { z } from 'zod';
import { createSet } from '../src/algebra/index.ts';
import { createPlanClient } from '../src/client/index.ts';
import { createRegistry, defineCapability } from '../src/capabilities/index.ts';
import { connectOrStart } from '../src/dev-server/index.ts';
import { compilePlan } from '../src/plan/index.ts';
import { createFileStore } from '../src/results/index.ts';
import { createWorker } from '../src/worker/index.ts';
import { median } from './median.ts';
import { balancedTree, inputsOf, leftDeepChain } from './shapes.ts';
import { twinNode } from './twin/activities.ts';
import type { twinWorkflow } from './twin/workflows.ts';

const ROUNDS = Number(process.argv[2] ?? 7);
const SHAPES = { 'tree 1,023': balancedTree(1023), 'chain 63': leftDeepChain(63) };

const noop = defineCapability({
  name: 'noop',
  description: 'Nothing.',
  input: z.object({}),
  output: 'set',
  effect: 'read',
  execute: () => createSet([]),
});

const folder = await mkdtemp(join(tmpdir(), 'planwright-bench-'));
const server = await connectOrStart({
  reuse: false,
  headless: true,
  port: 0,
  databaseFile: join(folder, 'temporal.db'),
  onProgress: (line) => process.stderr.write(`${line}\n`),
});
const connection = await NativeConnection.connect({ address: server.address });
const clientConnection = await Connection.connect({ address: server.address });
const client = new Client({ connection: clientConnection });
const store = createFileStore(join(folder, 'results'));
const planClient = createPlanClient({
  client,
  address: server.address,
  namespace: 'default',
  taskQueue: 'engine',
  store,
});
const engine = await createWorker({
  connection,
  namespace: 'default',
  taskQueue: 'engine',
  registry: createRegistry([noop]),
  store,
});
const twin = await Worker.create({
  connection,
  taskQueue: 'twin',
  workflowsPath: fileURLToPath(new URL('twin/workflows.ts', import.meta.url)),
  activities: { twinNode },
});
const stopped = Promise.all([engine.run(), twin.run()]);
try {
  for (const [shape, document] of Object.entries(SHAPES)) await measure(shape, document);
} finally {
  engine.shutdown();
  twin.shutdown();
  await stopped;
  await connection.close();
  await clientConnection.close();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function measure(shape: string, document: object): Promise<void> {
  const compiled = compilePlan(document);
  if (!compiled.ok) throw new Error(JSON.stringify(compiled.issues));
  const { plan } = compiled;
  const nodes = Object.keys(plan.nodesById).length;
  const inputs = inputsOf(plan);
  const runs = { engine: [] as Run[], twin: [] as Run[] };
  const load = loadavg()[0] ?? 0;
  for (let round = 0; round <= ROUNDS; round++) {
    const id = `${shape.replaceAll(/\W/g, '')}-${round}`;
    const a = await timed(`engine-${id}`, () =>
      planClient.start(document, { workflowId: `engine-${id}`, options: { approval: 'effects' } }),
    );
    const b = await timed(`twin-${id}`, () =>
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
    case: `engine/hand-written, ${shape}`,
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
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

interface Run {
  readonly ms: number;
  readonly events: number;
  readonly bytes: number;
}

async function timed(workflowId: string, start: () => Promise<unknown>): Promise<Run> {
  const from = performance.now();
  await start();
  const handle = client.workflow.getHandle(workflowId);
  await handle.result();
  const ms = performance.now() - from;
  const { historyLength: events, historySize: bytes = 0 } = await handle.describe();
  return { ms, events, bytes };
}

function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}
