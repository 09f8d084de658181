/** Creates a worker that only executes the runs of a project. */

import { Worker, type NativeConnection, type WorkerOptions as SdkOptions } from '@temporalio/worker';
import type { Deployment } from '../protocol/index.ts';
import { planwrightPlugin, type PluginOptions } from './plugin.ts';
import { cutCharacters } from '../plan/text/index.ts';

/** The options of `createWorker`: those of the plugin, the connection, and the task queue to poll. */
export interface WorkerOptions extends PluginOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  /**
   * The release of this worker. A run stays on the build that started its history, and may continue in a new history on
   * the current build. Default: none, so any worker of the queue executes any run.
   */
  readonly deployment?: Deployment | undefined;
  /**
   * Options for the SDK's worker, such as `{ maxConcurrentActivityTaskExecutions: 10, identity: 'worker-2' }`. With
   * `workflowsPath` and `activities` it also executes other workflows, see `planwrightPlugin`.
   */
  readonly sdk?: Omit<SdkOptions, 'connection' | 'namespace' | 'taskQueue'> | undefined;
}

/**
 * Creates the worker of a project, with workflows, activities and limits. Start it with the SDK's `run()`.
 * @throws TypeError in the same cases as `planwrightPlugin`
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

/** Maximum length of the name of a deployment or build, in characters. */
const MAX_NAME_LENGTH = 200;

/** The problem with a deployment's names; undefined if none. With invalid names the worker would get no tasks. */
export function deploymentProblem({ name, build }: Deployment): string | undefined {
  for (const [what, text] of Object.entries({ deployment: name, build })) {
    if (text.trim() === '' || text.length > MAX_NAME_LENGTH || text.startsWith('__'))
      return `${what}: expected 1 to ${MAX_NAME_LENGTH} characters that do not begin with "__", got ${JSON.stringify(cutCharacters(text, MAX_NAME_LENGTH))}`;
  }
  return /[.:]/.test(name)
    ? `deployment: a name without "." and ":" is expected, got ${JSON.stringify(name)}`
    : undefined;
}

/** The SDK's options for a deployment. @throws TypeError if the server would reject a name */
export function deploymentOptions(deployment: Deployment): Pick<SdkOptions, 'workerDeploymentOptions'> {
  const problem = deploymentProblem(deployment);
  if (problem !== undefined) throw new TypeError(problem);
  const version = { deploymentName: deployment.name, buildId: deployment.build };
  return { workerDeploymentOptions: { useWorkerVersioning: true, version, defaultVersioningBehavior: 'PINNED' } };
}
