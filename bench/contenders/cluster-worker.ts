/** A worker in a process of its own, with the store and the task queue that its parent names, told over Node's channel. */

import { NativeConnection } from '@temporalio/worker';
import { z } from 'zod';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { defineCapability } from '../../src/capabilities/index.ts';
import { installRuntime } from '../../src/config/own-worker/index.ts';
import { createSet } from '../../src/plan/algebra/index.ts';
import { openStore } from '../../src/store/index.ts';
import { createWorker } from '../../src/worker/index.ts';
import { heapOfThreads } from './heap.ts';

const { ADDRESS: address = '', QUEUE: taskQueue = '', STORE = '' } = process.env;

installRuntime('WARN', { native: 'ERROR' });

/** No two of its results are equal, so that a store has something to do for each. */
const mark = defineCapability({
  name: 'mark',
  description: 'A set of one record that nobody else has.',
  input: z.object({ run: z.string(), node: z.number() }),
  output: 'set',
  effect: 'read',
  execute: ({ arguments: { run, node } }) => createSet([{ id: `${run} ${node}` }]),
});

const worker = await createWorker({
  ...{ connection: await NativeConnection.connect({ address }), namespace: 'default', taskQueue },
  ...{ registry: createRegistry([mark]), store: openStore(STORE) },
});
process.on('message', () => {
  void heapOfThreads().then(({ main, others }) =>
    process.send?.({ heap: main + others, rss: process.memoryUsage.rss() }),
  );
});
// Ctrl-C reaches every process of a terminal: a worker ends with the channel.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => {});
process.once('disconnect', () => worker.shutdown());
const ended = worker.run();
process.send?.({ ready: true });
await ended;
process.exit();
