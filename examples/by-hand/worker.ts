/**
 * A worker for both ways: `node dist/examples/by-hand/worker.js [FOLDER]`. Its task queues are `by-hand` and `planwright`, behind the
 * text of TASK_QUEUE_PREFIX. The folder, by default the current one, has `ordered.txt` and `delivered.txt`.
 */

import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { createRegistry } from 'planwright/capabilities';
import { createFileStore } from 'planwright/results';
import { connectWorker, createWorker, installRuntime } from 'planwright/worker';
import { createActivities } from './activities.ts';
import { createCapabilities } from './capabilities.ts';
import { openWorld } from './world.ts';

const folder = resolve(process.argv[2] ?? '.');
const world = openWorld(folder);
const queueOf = (name: string) => `${process.env['TASK_QUEUE_PREFIX'] ?? ''}${name}`;

installRuntime('ERROR', { native: 'ERROR' });
const { connection, namespace } = await connectWorker();
const workflows = new URL(`./workflows${import.meta.url.slice(-3)}`, import.meta.url);
const workers = await Promise.all([
  Worker.create({
    connection,
    namespace,
    taskQueue: queueOf('by-hand'),
    workflowsPath: fileURLToPath(workflows),
    activities: createActivities(world),
  }),
  createWorker({
    connection,
    namespace,
    taskQueue: queueOf('planwright'),
    registry: createRegistry(createCapabilities(world)),
    store: createFileStore(join(folder, 'results')),
  }),
]);
const running = workers.map((worker) => worker.run());
console.log('worker ready');
process.send?.('ready');
await Promise.all(running);
await connection.close();
