/** `planwright worker`: runs the nodes of runs. */

import type { NativeConnection, Worker } from '@temporalio/worker';
import { encryptionKeys } from '../../config/index.ts';
import { buildName } from '../../client/reach/index.ts';
import { openProjectStore, withConnection, type EquippedProject } from '../../config/project/index.ts';
import { given, type Deployment } from '../../protocol/index.ts';
import type { Output } from '../terminal/index.ts';
import { wrapMessage } from '../../plan/lines/index.ts';
import { visible } from '../../plan/text/index.ts';
import { connectWorker, openConversations, openTracing } from '../../config/own-worker/index.ts';
import { createWorker, deploymentProblem, fingerprintOf, workflowsDigest } from '../../worker/index.ts';
import type { WorkerFlags } from '../flags.ts';
import { keyless, loadModelsForWork, OperationError } from '../../operations/index.ts';
import { isEncrypted } from '../../store/index.ts';
import { claimBuild, refuseOtherBuild } from './claim-build.ts';
import type { WorkerLog } from './log.ts';
import { refuseStrangers } from './refuse-strangers.ts';
import { reportStrayErrors } from './stray-errors.ts';
import { readWatched, startMonitoring, type Watching } from './watch.ts';

export interface ReadyWorker {
  /** As a record and as a line. */
  readonly ready: object;
  readonly text: string;
  /** Resolves after SIGINT or SIGTERM, when running work has ended or was handed back. */
  readonly ended: Promise<void>;
  stop(): void;
}

export function printReady({ ready, text }: ReadyWorker, output: Output): void {
  output.print({ ok: true, ready }, () => wrapMessage(text, output.lineColumns).join('\n'));
}

/**
 * Connects and starts.
 * @param address of the server; default: as for the Temporal CLI
 * @throws ClientError or OperationError within 10 s if the server or the namespace is missing, or another project
 * uses the queue
 */
export async function startWorker(
  project: EquippedProject,
  options: Partial<WorkerFlags>,
  { note, onNode, install }: WorkerLog,
  address?: string,
): Promise<ReadyWorker> {
  const target = address === undefined ? {} : { address };
  const { taskQueue = project.taskQueue, concurrentNodes, force } = options;
  const watched = readWatched(options);
  const deployment = readDeployment(options);
  const models = await loadModelsForWork(project);
  const encryption = project.encryption && encryptionKeys(project.encryption);
  for (const { id, env } of encryption?.missing ?? [])
    note(`the environment has no ${env}: what the key ${id} has encrypted is not read`);
  // Encryption keys may change while the program stays the same.
  const mark = {
    workflows: workflowsDigest(),
    project: fingerprintOf(project.registry, { identity: project.identity, rules: project.rules }),
  };
  // The native connection waits long without a message; the client's fails at once with one.
  const place = await withConnection(target, async (connected) => {
    if (force === true) return connected.address;
    const trust = { ...project, encryption };
    await refuseStrangers(connected, trust, taskQueue, { note }, deployment && buildName(deployment));
    if (deployment !== undefined) await refuseOtherBuild(connected, deployment, mark);
    return connected.address;
  });
  install(watched.metrics);
  const { connection, namespace } = await connectWorker(target);
  const { registry, identity, rules, policy, budget, mode } = project;
  const store = await openProjectStore(project.store(), project.encryption);
  if (encryption === undefined && (await isEncrypted(store).catch(() => false)))
    throw new OperationError('NO_KEY', keyless(store.place));
  const tracing = options.traces === true ? await openTracing((text) => note(`note: ${text}`)) : undefined;
  let made: Worker | undefined;
  const watching = await startMonitoring(watched, {
    worker: () => made,
    connection,
    namespace,
    taskQueue,
    store,
    target,
    note,
  });
  const worker = await createWorker({
    ...{ connection, namespace, taskQueue, registry, store },
    ...given({ models, policy, identity, rules, budget, mode, encryption, deployment, onNode, tracing }),
    ...openConversations(store, registry),
    ...(concurrentNodes !== undefined && { sdk: { maxConcurrentActivityTaskExecutions: concurrentNodes } }),
  });
  made = worker;
  const ended = runUntilStopped(worker, connection, watching, note);
  if (deployment !== undefined) {
    // Nothing else says that a build which is not current gets no new runs.
    const problem = await withConnection(target, (connected) => claimBuild(connected, deployment, mark));
    if (problem !== undefined) note(`note: ${problem}`);
  }
  const stop = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const ready = {
    address: place,
    namespace,
    taskQueue,
    store: store.place,
    capabilities: registry.capabilities.length,
    agents: registry.agents.length,
    ...given({ deployment, ...watching.places }),
    ...(models !== undefined && { model: models.planner.client.name }),
  };
  const text =
    `worker ready on task queue ${taskQueue}, namespace ${namespace} at ${place}, store ${store.place}; ` +
    `${ready.capabilities} capabilities, ${ready.agents} agent${ready.agents === 1 ? '' : 's'}, ` +
    `${ready.model === undefined ? 'no model' : `model ${visible(ready.model)}`}; ` +
    `${deployment === undefined ? '' : `build ${deployment.build} of ${deployment.name}; `}process ${process.pid}`;
  return { ready, text, ended, stop };
}

/** @throws OperationError USAGE that names what is missing or wrong */
function readDeployment({ deployment: name, build }: Partial<WorkerFlags>): Deployment | undefined {
  if (name === undefined && build === undefined) return undefined;
  if (name === undefined || build === undefined)
    throw new OperationError(
      'USAGE',
      '--deployment NAME and --build ID go together: a release is a build of a deployment',
    );
  const problem = deploymentProblem({ name, build });
  if (problem !== undefined) throw new OperationError('USAGE', `--${problem}`);
  return { name, build };
}

async function runUntilStopped(
  worker: Worker,
  connection: NativeConnection,
  watching: Watching,
  note: WorkerLog['note'],
): Promise<void> {
  const end = reportStrayErrors(note);
  try {
    await worker.run();
  } finally {
    end();
    await watching.stop();
    await connection.close();
  }
}
