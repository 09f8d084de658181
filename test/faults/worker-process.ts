/** A worker of a scenario, in a process of its own. Its settings are in the environment; it prints `ready`. */

import { join } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import type { HistoryBudget, Deployment } from '../../src/protocol/index.ts';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import type { EncryptionKeys } from '../../src/protocol/encryption/index.ts';
import { encryptedStore, openStore, type Store } from '../../src/store/index.ts';
import { createWorker } from '../../src/worker/index.ts';
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
  ENCRYPTION,
  STOPS_AT_CLAIM,
} = process.env;

const encryption = ENCRYPTION === undefined ? undefined : (JSON.parse(ENCRYPTION) as EncryptionKeys);
const plain = STOPS_AT_CLAIM === undefined ? openStore(STORE) : stoppingAtClaim(openStore(STORE));
const write = openLedger(join(FOLDER, 'ledger.jsonl'));
Runtime.install({ logger: new DefaultLogger('ERROR') });
const worker = await createWorker({
  connection: await NativeConnection.connect({ address: ADDRESS }),
  namespace: 'default',
  taskQueue: TASK_QUEUE,
  registry: createRegistry([...createCapabilities(write, VERSION), createHostile(write)]),
  store: encryption === undefined ? plain : encryptedStore(plain, encryption),
  ...(encryption !== undefined && { encryption }),
  ...(BUDGET !== undefined && { historyBudget: JSON.parse(BUDGET) as HistoryBudget }),
  ...(DEPLOYMENT !== undefined && { deployment: JSON.parse(DEPLOYMENT) as Deployment }),
  sdk: {
    workflowBundle: { codePath: BUNDLE },
    maxConcurrentActivityTaskExecutions: Number(SLOTS),
    // The server gives attempts to the open polls of a stopped process: several would take one after the other.
    ...(STOPS_AT_CLAIM !== undefined && {
      activityTaskPollerBehavior: { type: 'simple-maximum' as const, maximum: 1 },
    }),
  },
});
process.stdout.write('ready\n');
await worker.run();
process.exit(0);

function stoppingAtClaim(store: Store): Store {
  let isFirst = true;
  return {
    ...store,
    put(key, bytes) {
      if (isFirst && key.includes('/begun/')) {
        isFirst = false;
        process.kill(process.pid, 'SIGSTOP');
      }
      return store.put(key, bytes);
    },
  };
}
