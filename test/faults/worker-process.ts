/** A worker of a scenario, in a process of its own. Its settings are in the environment; it prints `ready`. */

import { join } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import type { HistoryBudget } from '../../src/wire/contract/index.ts';
import { createRegistry } from '../../src/builtin/index.ts';
import { createFileStore } from '../../src/wire/results/index.ts';
import { createWorker, type Deployment } from '../../src/worker/plugin/index.ts';
import { createCapabilities } from './capabilities.ts';
import { createHostile } from './hostile-capabilities.ts';
import { openLedger } from './ledger.ts';

const {
  ADDRESS = '',
  TASK_QUEUE = '',
  FOLDER = '',
  BUNDLE = '',
  SLOTS = '100',
  STORE = join(FOLDER, 'results'),
  VERSION,
  BUDGET,
  DEPLOYMENT,
} = process.env;

const write = openLedger(join(FOLDER, 'ledger.jsonl'));
Runtime.install({ logger: new DefaultLogger('ERROR') });
const worker = await createWorker({
  connection: await NativeConnection.connect({ address: ADDRESS }),
  namespace: 'default',
  taskQueue: TASK_QUEUE,
  registry: createRegistry([...createCapabilities(write, VERSION), createHostile(write)]),
  store: createFileStore(STORE),
  ...(BUDGET !== undefined && { historyBudget: JSON.parse(BUDGET) as HistoryBudget }),
  ...(DEPLOYMENT !== undefined && { deployment: JSON.parse(DEPLOYMENT) as Deployment }),
  sdk: { workflowBundle: { codePath: BUNDLE }, maxConcurrentActivityTaskExecutions: Number(SLOTS) },
});
process.stdout.write('ready\n');
await worker.run();
process.exit(0);
