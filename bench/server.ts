/** A Temporal dev server of its own on a database file, the product's worker on it in this process, and clients of both. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { DefaultLogger, NativeConnection, Runtime, type Worker } from '@temporalio/worker';
import { z } from 'zod';
import { createSet } from '../src/language/algebra/index.ts';
import { defineCapability, type Capability } from '../src/define/index.ts';
import { createRegistry } from '../src/builtin/index.ts';
import { createPlanClient, type PlanClient, type PlanClientOptions } from '../src/edge/client/index.ts';
import { connectOrStart } from '../src/edge/dev-server/index.ts';
import { createFileStore } from '../src/wire/results/index.ts';
import { createWorker, type WorkerOptions } from '../src/worker/plugin/index.ts';

// Lines of a measurement stand alone on the terminal.
Runtime.install({ logger: new DefaultLogger('WARN') });

export interface BenchServer {
  readonly client: Client;
  readonly connection: NativeConnection;
  readonly plans: PlanClient;
}

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

/** What a measurement has beside what all have. */
interface Own extends Pick<WorkerOptions, 'identity' | 'policy'>, Pick<PlanClientOptions, 'signer'> {
  readonly capabilities?: readonly Capability[];
}

/** @param others workers beside the product's, started and stopped with it */
export async function withServer(
  measure: (server: BenchServer) => Promise<void>,
  others: (connection: NativeConnection) => Promise<readonly Worker[]> = async () => [],
  { capabilities = [], signer, ...own }: Own = {},
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'planwright-bench-'));
  const { address, stop } = await connectOrStart({
    reuse: false,
    headless: true,
    port: 0,
    databaseFile: join(folder, 'temporal.db'),
    onProgress: (line) => process.stderr.write(`${line}\n`),
  });
  const connection = await NativeConnection.connect({ address });
  const clientConnection = await Connection.connect({ address });
  const client = new Client({ connection: clientConnection });
  const store = createFileStore(join(folder, 'results'));
  const place = { namespace: 'default', taskQueue: 'engine' };
  const plans = createPlanClient({ client, address, store, ...place, ...(signer !== undefined && { signer }) });
  const registry = createRegistry([noop, write, ...capabilities]);
  const engine = await createWorker({ connection, ...place, store, registry, ...own });
  const workers = [engine, ...(await others(connection))];
  const stopped = Promise.all(workers.map((worker) => worker.run()));
  try {
    await measure({ client, connection, plans });
  } finally {
    for (const worker of workers) worker.shutdown();
    await stopped;
    await connection.close();
    await clientConnection.close();
    await stop();
    await rm(folder, { recursive: true, force: true });
  }
}
