/**
 * A Temporal dev server of its own on a database file, the product's worker on it in this process, and clients of both;
 * together, or each by itself for measurements that kill the process at work.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import { z } from 'zod';
import { createSet } from '../src/plan/algebra/index.ts';
import { defineCapability, type Capability } from '../src/capabilities/index.ts';
import { createRegistry } from '../src/capabilities/builtin/index.ts';
import { createPlanClient, type PlanClient, type PlanClientOptions } from '../src/client/index.ts';
import { connectOrStart } from '../src/cli/dev-server/dev-server.ts';
import { createFileStore, type Store } from '../src/store/index.ts';
import { createWorker, type WorkerOptions } from '../src/worker/index.ts';

// Lines of a measurement stand alone on the terminal.
Runtime.install({ logger: new DefaultLogger('WARN') });

export interface BenchServer {
  readonly client: Client;
  readonly connection: NativeConnection;
  readonly plans: PlanClient;
}

const PLACE = { namespace: 'default', taskQueue: 'engine' };

const noop = defineCapability({
  name: 'noop',
  description: 'Nothing.',
  input: z.object({}),
  output: 'set',
  effect: 'read',
  execute: () => createSet([]),
});

/** As `noop`, with an effect that its worker asks the run about. */
const write = defineCapability({ ...noop, name: 'write', description: 'Writes nothing.', effect: 'idempotent' });

/** The parts that a measurement has beside those that all have. */
interface Own
  extends Pick<WorkerOptions, 'identity' | 'policy' | 'sdk' | 'historyBudget'>, Pick<PlanClientOptions, 'signer'> {
  readonly capabilities?: readonly Capability[];
}

/** The parts of a bench that outlive the process at work: the server's address, and the folder of results. */
export interface Place {
  readonly address: string;
  readonly folder: string;
}

/** @returns a server of its own in a folder of its own; `stop` removes both. */
export async function startServer(): Promise<{ place: Place; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-bench-'));
  const { address, stop } = await connectOrStart({
    reuse: false,
    headless: true,
    port: 0,
    databaseFile: join(folder, 'temporal.db'),
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
  return {
    place: { address, folder },
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A client of the server, and one of the product with the store of its worker. */
export async function openClients({ address, folder }: Place, signer?: Own['signer']) {
  const connection = await Connection.connect({ address });
  const client = new Client({ connection });
  const store = createFileStore(join(folder, 'results'));
  const plans = createPlanClient({ client, address, store, ...PLACE, ...(signer !== undefined && { signer }) });
  return { client, plans, store, close: () => connection.close() };
}

/** The product's worker, ready to run. */
export function createEngine(
  connection: NativeConnection,
  store: Store,
  { capabilities = [], ...own }: Omit<Own, 'signer'> = {},
): Promise<Worker> {
  return createWorker({
    connection,
    ...PLACE,
    store,
    registry: createRegistry([noop, write, ...capabilities]),
    ...own,
  });
}

/** Runs workers in this process. @returns ends them, and the connection that they share. */
export function runWorkers(connection: NativeConnection, workers: readonly Worker[]): () => Promise<void> {
  const stopped = Promise.all(workers.map((worker) => worker.run()));
  return async () => {
    // A signal may have ended them before.
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
    await stopped;
    await connection.close();
  };
}

/** @param others workers beside the product's, started and stopped with it */
export async function withServer(
  measure: (server: BenchServer) => Promise<void>,
  others: (connection: NativeConnection) => Promise<readonly Worker[]> = async () => [],
  { signer, ...own }: Own = {},
): Promise<void> {
  const { place, stop } = await startServer();
  const { client, plans, store, close } = await openClients(place, signer);
  const connection = await NativeConnection.connect({ address: place.address });
  const stopWorkers = runWorkers(connection, [
    await createEngine(connection, store, own),
    ...(await others(connection)),
  ]);
  try {
    await measure({ client, connection, plans });
  } finally {
    await stopWorkers();
    await close();
    await stop();
  }
}
