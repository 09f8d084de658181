/** A worker that carries out its own workflows and runs of plans, by the plugin. */

import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker, type WorkerOptions } from '@temporalio/worker';
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import { createRegistry } from '../../src/capabilities/builtin/index.ts';
import { createPlanClient } from '../../src/client/index.ts';
import { createFileStore } from '../../src/store/index.ts';
import { createWorker, planwrightPlugin, readWorkerIdentity } from '../../src/worker/index.ts';
import { ids } from '../support/capabilities.ts';
import { guestActivities } from '../support/guest-activities.ts';
import { quietRuntime } from '../support/runtime.ts';
import { fileFolder } from '../support/folders.ts';
import { fileClient } from '../support/file-client.ts';

quietRuntime();

const taskQueue = `plugin-${process.pid}`;
const namespace = 'default';
const registry = createRegistry([ids]);
const workflowsPath = fileURLToPath(new URL('../support/guest-workflow.ts', import.meta.url));

const folder = fileFolder('plugin');
let connection: NativeConnection;
const client = await fileClient();
const logger = new DefaultLogger('ERROR');
const plugin = () => planwrightPlugin({ registry, store: createFileStore(folder) });

beforeAll(async () => {
  connection = await NativeConnection.connect({ address: inject('address') });
});
afterAll(() => connection.close());

function running(worker: Worker): void {
  const ended = worker.run();
  onTestFinished(async () => {
    worker.shutdown();
    await ended;
  });
}

/** @returns the ids of a workflow of the worker's own, and of a run */
async function ownAndOurs(): Promise<readonly string[]> {
  const guest = await client.workflow.start('guest', { taskQueue, workflowId: `${taskQueue}-guest`, args: ['you'] });
  expect(await guest.query('name')).toBe('you');
  const plans = createPlanClient({
    client,
    address: inject('address'),
    namespace,
    taskQueue,
    store: createFileStore(folder),
  });
  const plan = { goal: 'g', plan: { task: 'find', capability: 'ids', arguments: { ids: ['a', 'b'] } } };
  const started = await plans.start(plan, { options: { approval: 'effects' } });
  if (!started.ok) throw new Error('the plan is sound');
  const phases = [];
  for await (const { status, end } of started.run.follow({ everyMs: 10 })) phases.push(end?.how ?? status?.phase);
  expect(phases.at(-1)).toBe('completed');
  expect(await started.run.result()).toMatchObject({ kind: 'set', set: { ids: ['a', 'b'] } });
  await guest.signal('go');
  expect(await guest.result()).toBe('hello you');
  await expect(guest.query('name')).resolves.toBe('you');
  return [guest.workflowId, started.run.workflowId];
}

describe('a worker with workflows and activities of its own', () => {
  test('carries out both, and keeps what it sets itself', async () => {
    const worker = await Worker.create({
      connection,
      taskQueue,
      workflowsPath,
      activities: guestActivities,
      identity: 'orders',
      maxCachedWorkflows: 7,
      plugins: [plugin()],
    });
    expect(readWorkerIdentity(worker.options.identity)).toBeDefined();
    expect(worker.options.identity).toMatch(/^orders /);
    expect(worker.options).toMatchObject({ maxCachedWorkflows: 7, isolateExecutionTimeoutMs: 60_000 });
    running(worker);
    for (const id of await ownAndOurs()) {
      const history = await client.workflow.getHandle(id).fetchHistory();
      await Worker.runReplayHistory({ workflowsPath, plugins: [plugin()] }, history, id);
    }
  });

  test('the same from a bundle made beforehand, and by createWorker', async () => {
    const workflowBundle = await bundleWorkflowCode({ workflowsPath, plugins: [plugin()], logger });
    const store = createFileStore(folder);
    const sdk = { workflowBundle, activities: guestActivities };
    running(await createWorker({ connection, namespace, taskQueue, registry, store, sdk }));
    await ownAndOurs();
  });
});

describe('what would stop runs is refused at the start', () => {
  const neighbour = fileURLToPath(new URL('../support/neighbour-workflow.ts', import.meta.url));
  const unread = fileURLToPath(new URL('../../LICENSE', import.meta.url));
  const converter = fileURLToPath(new URL('../../src/workflows/failure-converter.js', import.meta.url));
  test.each<[what: string, options: () => Promise<Partial<WorkerOptions>>, message: RegExp]>([
    [
      'no workflow of ours',
      async () => ({ workflowsPath: neighbour }),
      /add to .*: export \* from 'planwright\/workflows'/,
    ],
    // Of it the SDK's own words, not that a line is missing in it.
    ['a file that the SDK cannot read', async () => ({ workflowsPath: unread }), /Webpack finished with errors/],
    [
      'a bundle made without the plugin',
      async () => ({ workflowBundle: await bundleWorkflowCode({ workflowsPath, logger }) }),
      /bundle was made without it/,
    ],
    ['an activity of our name', async () => ({ activities: { runTask: () => 1 } }), /has an activity runTask/],
    [
      'a payload converter',
      async () => ({ dataConverter: { payloadConverterPath: converter } }),
      /payloadConverterPath of its own/,
    ],
    ['no connection', async () => ({ connection: undefined }) as never, /give the worker its connection/],
  ])('%s', async (_what, options, message) => {
    const given = { connection, taskQueue, ...(await options()) };
    await expect(Worker.create({ ...given, plugins: [plugin()] })).rejects.toThrow(message);
  });

  test('payload codecs may be any', async () => {
    const dataConverter = { payloadCodecs: [] };
    const worker = await Worker.create({ connection, taskQueue, dataConverter, plugins: [plugin()] });
    running(worker);
    expect(worker.options.loadedDataConverter.payloadCodecs.at(-1)).toMatchObject({ encrypts: false });
  });
});
