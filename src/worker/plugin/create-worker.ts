/** A worker of nothing but the runs of a project. */

import { Worker, type NativeConnection, type WorkerOptions as SdkOptions } from '@temporalio/worker';
import { planwrightPlugin, type PluginOptions } from './plugin.ts';

/** The options of `createWorker`: those of the plugin, the connection, and the task queue that it polls. */
export interface WorkerOptions extends PluginOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  /**
   * Options of the SDK's worker, on top of ours: `{ maxConcurrentActivityTaskExecutions: 10, identity: 'worker-2' }`. With
   * `workflowsPath` and `activities` it carries out other workflows as well, as `planwrightPlugin` says.
   */
  readonly sdk?: Omit<SdkOptions, 'connection' | 'namespace' | 'taskQueue'>;
}

/**
 * The worker of a project: its workflows, its activities and the bounds of both. `run()` is the SDK's own.
 * @throws TypeError as `planwrightPlugin` does: found at the start.
 * @example
 * const place = { ...(await connectWorker()), taskQueue: 'planwright' };
 * const worker = await createWorker({ ...place, registry: createRegistry([search]), store: createFileStore('results') });
 * await worker.run();
 */
export async function createWorker({ connection, namespace, taskQueue, sdk, ...ours }: WorkerOptions): Promise<Worker> {
  const plugins = [...(sdk?.plugins ?? []), planwrightPlugin(ours)];
  return Worker.create({ ...sdk, connection, namespace, taskQueue, plugins });
}
