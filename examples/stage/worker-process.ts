/** The program that a demo's workers run: an ordinary worker that also keeps the ledger. */

import { createFileStore } from 'planwright/results';
import { connectWorker, createWorker, installRuntime, openConversations, openModels } from 'planwright/worker';
import { withJournalWindow } from '../from-goal/index.ts';
import { DEMOS } from '../index.ts';
import { registryOf } from './demo.ts';
import { ledgerWriter } from './ledger.ts';
import type { DemoWorkerOptions } from './worker.ts';

const options = JSON.parse(process.argv[2] ?? '') as DemoWorkerOptions;
const { address, namespace, taskQueue, storeDir, ledgerFile, modelFile, paceMs, keep } = options;

// The demo may end in ways in which it cannot end its worker; the channel to it closes in all of them.
if (!keep) {
  process.once('disconnect', () => process.exit(0));
  if (!process.connected) process.exit(0);
}

installRuntime('WARN', { native: 'ERROR' });
const listed = DEMOS.find(({ name }) => name === options.demo);
if (listed === undefined) throw new RangeError(`there is no demo ${options.demo}`);
const config = (await listed.load()).createConfig(options);
const { policy } = config;
const models = openModels(config);
const store = withJournalWindow(createFileStore(storeDir), modelFile, paceMs / 4);
const registry = registryOf(config);
const { connection } = await connectWorker({ address, namespace });
const worker = await createWorker({
  connection,
  namespace,
  taskQueue,
  registry,
  store,
  ...(models !== undefined && { models }),
  ...(policy !== undefined && { policy }),
  ...openConversations(store, registry),
  onNode: ledgerWriter(ledgerFile),
});
process.send?.('ready');
await worker.run();
await connection.close();
process.exit(0);
