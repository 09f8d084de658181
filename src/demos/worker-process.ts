/** The program that a demo's workers run: an ordinary worker that also keeps the ledger. */

import { resolve } from 'node:path';
import { createRegistry } from '../builtin/index.ts';
import { checkConfig } from '../edge/config/index.ts';
import { createFileStore } from '../wire/results/index.ts';
import { ledgerWriter, type DemoWorkerOptions } from '../stage/index.ts';
import { connectWorker, openConversations, openModels, installRuntime } from '../edge/own-worker/index.ts';
import { createWorker } from '../worker/plugin/index.ts';
import { withJournalWindow } from './from-goal/index.ts';
import { findDemo } from './index.ts';

const options = JSON.parse(process.argv[2] ?? '') as DemoWorkerOptions;
const { address, namespace, taskQueue, storeDir, ledgerFile, modelFile, paceMs, keep } = options;

// The demo may end in ways in which it cannot end its worker; the channel to it closes in all of them.
if (!keep) {
  process.once('disconnect', () => process.exit(0));
  if (!process.connected) process.exit(0);
}

installRuntime('WARN', 'ERROR');
const found = findDemo(options.demo);
if (!found.ok) throw new RangeError(found.message);
const config = checkConfig((await found.demo.load()).createConfig(options), resolve('planwright.config.ts'));
const { capabilities, agents, defaultExecutor, policy } = config;
const models = openModels(config);
const store = withJournalWindow(createFileStore(storeDir), modelFile, paceMs / 4);
const registry = createRegistry(capabilities, { agents, ...(defaultExecutor !== undefined && { defaultExecutor }) });
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
