/** A worker of nothing but the runs of a project. */

import { Worker, type NativeConnection, type WorkerOptions as SdkOptions } from '@temporalio/worker';
import type { Deployment } from '../protocol/index.ts';
import { planwrightPlugin, type PluginOptions } from './plugin.ts';
import { cutCharacters } from '../plan/text/index.ts';

/** The options of `createWorker`: those of the plugin, the connection, and the task queue that it polls. */
export interface WorkerOptions extends PluginOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  /**
   * The release that this worker is: a run stays on the build that began its history, and goes on in a new one on the current build.
   * Default: none; any worker of the queue carries out any run.
   */
  readonly deployment?: Deployment | undefined;
  /**
   * Options of the SDK's worker, on top of ours: `{ maxConcurrentActivityTaskExecutions: 10, identity: 'worker-2' }`. With
   * `workflowsPath` and `activities` it carries out other workflows as well, as `planwrightPlugin` says.
   */
  readonly sdk?: Omit<SdkOptions, 'connection' | 'namespace' | 'taskQueue'> | undefined;
}

/**
 * The worker of a project: its workflows, its activities and the bounds of both. `run()` is the SDK's own.
 * @throws TypeError as `planwrightPlugin` does: found at the start.
 * @example
 * const place = { ...(await connectWorker()), taskQueue: 'planwright' };
 * const worker = await createWorker({ ...place, registry: createRegistry([search]), store: createFileStore('results') });
 * await worker.run();
 */
export async function createWorker(options: WorkerOptions): Promise<Worker> {
  const { connection, namespace, taskQueue, deployment, sdk, ...ours } = options;
  const plugins = [...(sdk?.plugins ?? []), planwrightPlugin(ours)];
  const release = deployment === undefined ? {} : deploymentOptions(deployment);
  return Worker.create({ ...sdk, ...release, connection, namespace, taskQueue, plugins });
}

/** The name of a deployment, and of a build. */
const MOST = 200;

/**
 * Why the server would take no worker of this name, without saying so: it would be given no work.
 * @returns undefined where it would
 */
export function deploymentProblem({ name, build }: Deployment): string | undefined {
  for (const [what, text] of Object.entries({ deployment: name, build })) {
    if (text.trim() === '' || text.length > MOST || text.startsWith('__'))
      return `${what}: expected 1 to ${MOST} characters that do not begin with "__", got ${JSON.stringify(cutCharacters(text, MOST))}`;
  }
  return /[.:]/.test(name)
    ? `deployment: a name without "." and ":" is expected, got ${JSON.stringify(name)}`
    : undefined;
}

/** @throws TypeError when the server would not take the name */
export function deploymentOptions(deployment: Deployment): Pick<SdkOptions, 'workerDeploymentOptions'> {
  const problem = deploymentProblem(deployment);
  if (problem !== undefined) throw new TypeError(problem);
  const version = { deploymentName: deployment.name, buildId: deployment.build };
  return { workerDeploymentOptions: { useWorkerVersioning: true, version, defaultVersioningBehavior: 'PINNED' } };
}
