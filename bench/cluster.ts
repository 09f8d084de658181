/**
 * Two workers that share a result store in PostgreSQL beside one worker with a folder, in turns, both on one Temporal server on
 * PostgreSQL (scripts/cluster): the tree of one plan in each lane, and then so many plans that wait for a person with the two.
 *
 *   npm run bench -- cluster [rounds] [waiting plans]
 *
 * Prints a JSON line per round, one with the medians per lane, and one with what each waiting plan takes of both workers' memory
 * and of the databases.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import pg from 'pg';
import { startCluster } from '../scripts/cluster/start.mjs';
import { DATABASES, STORE_DATABASE } from '../scripts/cluster/steps.mjs';
import { ClientError, createPlanClient, type PlanClient, type RunHandle } from '../src/client/index.ts';
import { openStore } from '../src/store/index.ts';
import { each } from './contenders/answer.mjs';
import { median, quartiles } from './median.ts';
import { print, round3 } from './print.ts';
import { documentOf, tree } from './shapes.ts';

const [ROUNDS = 5, WAITING = 1000] = process.argv.slice(2).map(Number);
/** The tree of a lane, and rounds of it for each that is asked for: those of parts are short, and differ more. */
const LANES = { parts: { nodes: 1023, times: 3 }, visible: { nodes: 255, times: 1 } } as const;
type Lane = keyof typeof LANES;
const WAITING_NODES = 127;
const ASK_EVERY_MS = 250;

interface Memory {
  readonly heap: number;
  readonly rss: number;
}

/** Workers with one store and one task queue, and a client of theirs. */
interface Crew {
  readonly plans: PlanClient;
  /** Bytes of all workers: their heaps without garbage, and their resident sets. */
  memory(): Promise<Memory>;
  end(): Promise<void>;
}

const cluster = await startCluster({ workers: [] });
const connection = await Connection.connect({ address: cluster.address });
const client = new Client({ connection });
const one = await hire('one', 1, join(cluster.folder, 'results'));
const two = await hire('two', 2, cluster.store);
try {
  for (const lane of ['parts', 'visible'] as const) await compare(lane);
  if (WAITING > 0) await wait();
} catch (error) {
  // Calls under way fail as well when the connection closes.
  process.stderr.write(`${String(error)}\n`);
  process.exitCode = 1;
} finally {
  for (const crew of [one, two]) await crew.end();
  await connection.close();
  await cluster.close();
}

async function hire(queue: string, workers: number, place: string): Promise<Crew> {
  const env = { ...process.env, ADDRESS: cluster.address, QUEUE: queue, STORE: place };
  const script = fileURLToPath(new URL('contenders/cluster-worker.ts', import.meta.url));
  const children = Array.from({ length: workers }, () => fork(script, { execArgv: ['--import', 'tsx'], env }));
  for (const child of children) {
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`a worker ended with ${code}; its reason stands above`);
    });
    await Promise.race([once(child, 'message'), ended]);
    ended.catch(() => undefined);
  }
  const { address } = cluster;
  return {
    plans: createPlanClient({ client, address, store: openStore(place), namespace: 'default', taskQueue: queue }),
    async memory() {
      const sum = { heap: 0, rss: 0 };
      for (const child of children) {
        const told = once(child, 'message');
        child.send({});
        const [{ heap, rss }] = (await told) as [Memory];
        sum.heap += heap;
        sum.rss += rss;
      }
      return sum;
    },
    async end() {
      for (const child of children) {
        const ended = once(child, 'exit');
        child.disconnect();
        await ended;
      }
    },
  };
}

async function compare(lane: Lane): Promise<void> {
  const { nodes } = LANES[lane];
  const rounds = LANES[lane].times * ROUNDS;
  const times = { one: [] as number[], two: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    // Neither is always the one that goes first.
    const turns = round % 2 === 0 ? (['one', 'two'] as const) : (['two', 'one'] as const);
    const ms = { one: 0, two: 0 };
    for (const who of turns) ms[who] = await timed(who === 'one' ? one : two, `${lane}-${who}-${round}`, lane, nodes);
    const [oneMs, twoMs] = [Math.round(ms.one), Math.round(ms.two)];
    print({ case: `cluster, ${lane}`, nodes, round, oneMs, twoMs, ratio: round3(ms.two / ms.one), load: loadavg()[0] });
    // The first round warms both up.
    if (round === 0) continue;
    for (const who of turns) times[who].push(ms[who]);
  }
  const told = (all: readonly number[]) => ({
    ms: Math.round(median(all)),
    middleHalf: quartiles(all).map(Math.round),
    msPerNode: round3(median(all) / nodes),
  });
  const ratios = times.two.map((ms, at) => ms / (times.one[at] ?? Number.NaN));
  const ratio = { median: round3(median(ratios)), middleHalf: quartiles(ratios).map(round3) };
  print({ case: `cluster, ${lane}, medians`, rounds, one: told(times.one), two: told(times.two), ratio });
}

async function timed({ plans }: Crew, workflowId: string, lane: Lane, nodes: number): Promise<number> {
  const from = performance.now();
  const { run } = await start(plans, workflowId, nodes, { approval: 'effects', lane });
  const end = await run.end();
  if (end.how !== 'completed') throw new Error(JSON.stringify(end));
  return performance.now() - from;
}

async function start(
  plans: PlanClient,
  workflowId: string,
  nodes: number,
  options: { readonly approval: 'effects' | 'required'; readonly lane?: Lane },
) {
  const document = documentOf(tree(nodes), (node) => ({ capability: 'mark', arguments: { run: workflowId, node } }));
  const started = await plans.start(document, { workflowId, options });
  if (!started.ok) throw new Error(JSON.stringify(started.issues.slice(0, 3)));
  return started;
}

async function wait(): Promise<void> {
  const [memory, bytes] = [await two.memory(), await databases()];
  const runs: RunHandle[] = [];
  await each(WAITING, async (at) => {
    runs.push((await start(two.plans, `waiting-${at}`, WAITING_NODES, { approval: 'required' })).run);
  });
  await each(WAITING, async (at) => {
    while (!(await isWaiting(runs[at]!))) await pause(ASK_EVERY_MS);
  });
  const [held, after] = [await two.memory(), await databases()];
  const kB = (grown: number) => Math.round(grown / WAITING / 1000);
  print({
    ...{ case: 'plans that wait, kB each', plans: WAITING, nodes: WAITING_NODES },
    workers: { heap: kB(held.heap - memory.heap), rss: kB(held.rss - memory.rss) },
    databases: Object.fromEntries(Object.entries(after).map(([name, all]) => [name, kB(all - (bytes[name] ?? 0))])),
    load: loadavg()[0],
  });
}

/** A worker that has much to do may not answer in time. */
async function isWaiting(run: RunHandle): Promise<boolean> {
  try {
    return (await run.view(['status'])).status.phase === 'awaiting-approval';
  } catch (error) {
    if (error instanceof ClientError && error.code === 'no-worker') return false;
    throw error;
  }
}

/** The bytes of each database, on its disk. */
async function databases(): Promise<Readonly<Record<string, number>>> {
  const database = new pg.Client(cluster.store);
  await database.connect();
  const { rows } = await database.query<{ datname: string; bytes: string }>(
    'SELECT datname, pg_database_size(datname) AS bytes FROM pg_database WHERE datname = ANY ($1)',
    [[...Object.values(DATABASES), STORE_DATABASE]],
  );
  await database.end();
  return Object.fromEntries(rows.map(({ datname, bytes }) => [datname, Number(bytes)]));
}
