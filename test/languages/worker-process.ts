/** A worker of runs whose effect is an activity of a Python worker, in a process of its own, for tests that kill it. */

import { join } from 'node:path';
import { DefaultLogger, NativeConnection, Runtime } from '@temporalio/worker';
import { z } from 'zod';
import { activityCapability, createRegistry } from '../../src/capabilities/builtin/index.ts';
import { createFileStore } from '../../src/store/index.ts';
import { createWorker } from '../../src/worker/index.ts';

const {
  TEMPORAL_ADDRESS = '',
  TASK_QUEUE = '',
  OTHER_QUEUE = '',
  FOLDER = '',
  BUNDLE = '',
  HEARTBEAT_MS = '',
} = process.env;

const pay = activityCapability({
  ...{ name: 'pay', description: 'Pays.', output: 'value', effect: 'at-most-once' },
  input: z.object({ name: z.string(), before: z.string(), after: z.string() }),
  ...{
    activity: 'work',
    taskQueue: OTHER_QUEUE,
    timeout: { startToCloseMs: 600_000, heartbeatMs: Number(HEARTBEAT_MS) },
  },
});

Runtime.install({ logger: new DefaultLogger('ERROR') });
const worker = await createWorker({
  connection: await NativeConnection.connect({ address: TEMPORAL_ADDRESS }),
  ...{ namespace: 'default', taskQueue: TASK_QUEUE, registry: createRegistry([pay]) },
  store: createFileStore(join(FOLDER, 'results')),
  sdk: { workflowBundle: { codePath: BUNDLE } },
});
process.stdout.write('ready\n');
await worker.run();
