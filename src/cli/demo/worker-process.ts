/** The process that `startDemoWorker` starts: an ordinary worker that also keeps the ledger. */

import { DefaultLogger, Runtime } from '@temporalio/worker';
import { createRegistry } from '../../capabilities/index.ts';
import { createFileStore } from '../../results/index.ts';
import { connectWorker, createWorker } from '../../worker/index.ts';
import type { DemoWorkerOptions } from './demo-worker.ts';
import { loadDemo } from './demos.ts';
import { ledgerWriter } from './ledger.ts';

const options = JSON.parse(process.argv[2] ?? '') as DemoWorkerOptions;
const { address, namespace, taskQueue, storeDir, ledgerFile, stateFile, paceMs, keep } = options;

// The demo may end in ways in which it cannot end its worker; the channel to it closes in all of them.
if (!keep) {
  process.once('disconnect', () => process.exit(0));
  if (!process.connected) process.exit(0);
}

Runtime.install({ logger: new DefaultLogger('WARN') });
const { capabilities, tasks } = (await loadDemo(options.demo)).createConfig({ paceMs, stateFile });
const { connection } = await connectWorker({ address, namespace });
const worker = await createWorker({
  connection,
  namespace,
  taskQueue,
  registry: createRegistry(capabilities, tasks?.default === undefined ? {} : { defaultCapability: tasks.default }),
  store: createFileStore(storeDir),
  onNode: ledgerWriter(ledgerFile),
});
process.send?.('ready');
await worker.run();
await connection.close();
process.exit(0);
