/**
 * The engine against a workflow that someone wrote by hand for the same shape, on one real server, taken in turns.
 * Prints one JSON line per shape: the median ratio of wall time, the CPU of worker and server, and events and bytes of
 * history, which are exact.
 *
 *   npx tsx bench/engine.ts [rounds] [lane]
 */

import { readdirSync, readFileSync } from 'node:fs';
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
/** Of the CPU times in `/proc`. */
const MS_PER_TICK = 10;

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
  const cpu = (which: keyof typeof runs) => ({
    worker: round3(median(runs[which].map(({ cpuMs }) => cpuMs)) / nodes),
    server: round3(median(runs[which].map(({ serverMs }) => serverMs)) / nodes),
  });
  const ratios = runs.engine.map((run, i) => round3(run.ms / (runs.twin[i]?.ms ?? Number.NaN)));
  const line = {
    case: `engine/hand-written, ${name}`,
    rounds: ROUNDS,
    // Of the rounds' own ratios: neighbours in time share what else the machine does.
    wallRatio: median(ratios),
    wallRatioByRound: ratios,
    msPerNode: { engine: round3(wall('engine') / nodes), twin: round3(wall('twin') / nodes) },
    // Of the worker and the client, and of the server.
    cpuMsPerNode: { engine: cpu('engine'), twin: cpu('twin') },
    eventsPerNode: { engine: round3(events('engine')), twin: round3(events('twin')) },
    historyRatio: round3(bytes('engine') / bytes('twin')),
    bytesPerNode: { engine: Math.round(bytes('engine')), twin: Math.round(bytes('twin')) },
    loadBefore: round3(load),
  };
  print(line);
}

interface Run {
  readonly ms: number;
  readonly cpuMs: number;
  readonly serverMs: number;
  readonly events: number;
  readonly bytes: number;
}

async function timed(client: Client, workflowId: string, start: () => Promise<unknown>): Promise<Run> {
  const from = performance.now();
  const [own, server] = [process.cpuUsage(), cpuOfChildren()];
  await start();
  const handle = client.workflow.getHandle(workflowId);
  await handle.result();
  const ms = performance.now() - from;
  const { user, system } = process.cpuUsage(own);
  const times = { cpuMs: (user + system) / 1000, serverMs: cpuOfChildren() - server };
  const { historyLength: events, historySize: bytes = 0 } = await handle.describe();
  return { ms, ...times, events, bytes };
}

/** In milliseconds; of the server, which is a child of this process. Linux only. */
function cpuOfChildren(): number {
  const ticks = readdirSync('/proc').map((pid) => {
    const [, parent, ...fields] = statOf(pid).split(' ');
    return Number(parent) === process.pid ? Number(fields[9]) + Number(fields[10]) : 0;
  });
  return MS_PER_TICK * ticks.reduce((sum, one) => sum + one, 0);
}

/** What `/proc` has of a process after its name; empty where it has ended. */
function statOf(pid: string): string {
  try {
    return /^\d+$/.test(pid) ? readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '') : '';
  } catch {
    return '';
  }
}
