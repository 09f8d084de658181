/** `planwright worker`: carries out the nodes of runs. */

import type { NativeConnection, Worker } from '@temporalio/worker';
import { encryptionKeys } from '../../config/index.ts';
import { buildName } from '../../client/reach/index.ts';
import { openStore, withConnection, type EquippedProject } from '../../config/project/index.ts';
import { given, type Deployment } from '../../protocol/index.ts';
import type { Output } from '../terminal/index.ts';
import { wrapMessage } from '../../plan/lines/index.ts';
import { visible } from '../../plan/text/index.ts';
import { connectWorker, openConversations, openTracing } from '../../config/own-worker/index.ts';
import { createWorker, deploymentProblem, fingerprintOf, workflowsDigest } from '../../worker/index.ts';
import type { WorkerFlags } from '../flags.ts';
import type { GlobalOptions } from '../global-flags.ts';
import { keyless, modelsForWork, OperationError } from '../../operations/index.ts';
import { isEncrypted } from '../../store/index.ts';
import { claimBuild, refuseOtherBuild } from './claim-build.ts';
import { installLog } from './log.ts';
import { refuseStrangers } from './refuse-strangers.ts';
import { tellStrayErrors } from './stray-errors.ts';
import { readWatched, watch, type Watching } from './watch.ts';

export type WorkerTyped = Partial<WorkerFlags> & Pick<GlobalOptions, 'logLevel' | 'logFormat'>;

interface WorkerPlace {
  /** Default: as the Temporal CLI would. */
  readonly address?: string;
  /** Takes its log, unless it was typed how much that says. Default: stderr. */
  readonly logFile?: string;
}

export interface ReadyWorker {
  /** Its kind and its place, as a record and in a line. */
  readonly ready: object;
  readonly text: string;
  /** Resolves when the worker has shut down: after SIGINT or SIGTERM, with its work handed back or done. */
  readonly ended: Promise<void>;
  stop(): void;
  /** The file that its log went to, if anything did. */
  logged(): string | undefined;
}

export function tellReady({ ready, text }: ReadyWorker, output: Output): void {
  output.print({ ok: true, ready }, () => wrapMessage(text, output.lineColumns).join('\n'));
}

/**
 * Connects and starts.
 * @throws ClientError or OperationError within 10 s when the server or the namespace is missing, or another project has the queue.
 */
export async function startWorker(
  project: EquippedProject,
  options: WorkerTyped,
  output: Output,
  { address, logFile }: WorkerPlace = {},
): Promise<ReadyWorker> {
  const target = address === undefined ? {} : { address };
  const { taskQueue = project.taskQueue, concurrentNodes, force } = options;
  const watched = readWatched(options);
  const deployment = readDeployment(options);
  const models = await modelsForWork(project);
  const encryption = project.encryption && encryptionKeys(project.encryption);
  for (const { id, env } of encryption?.missing ?? [])
    output.note(`the environment has no ${env}: what the key ${id} has encrypted is not read`);
  // Encryption keys come and go below a program that stays the same.
  const mark = {
    workflows: workflowsDigest(),
    project: fingerprintOf(project.registry, { identity: project.identity, rules: project.rules }),
  };
  // The native connection waits long and says little; the client's says at once what is missing.
  const place = await withConnection(target, async (connected) => {
    if (force === true) return connected.address;
    const trust = { ...project, encryption };
    await refuseStrangers(connected, trust, taskQueue, output, deployment && buildName(deployment));
    if (deployment !== undefined) await refuseOtherBuild(connected, deployment, mark);
    return connected.address;
  });
  const { note, onNode, file } = installLog(options, output, { metrics: watched.metrics, file: logFile });
  const { connection, namespace } = await connectWorker(target);
  const { registry, identity, rules, policy, budget, mode } = project;
  const store = await openStore(project.store(), project.encryption);
  if (encryption === undefined && (await isEncrypted(store).catch(() => false)))
    throw new OperationError('NO_KEY', keyless(store.place));
  const tracing = options.traces === true ? await openTracing((told) => note(`note: ${told}`)) : undefined;
  let made: Worker | undefined;
  const watching = await watch(watched, { worker: () => made, connection, namespace, taskQueue, store, target, note });
  const worker = await createWorker({
    ...{ connection, namespace, taskQueue, registry, store },
    ...given({ models, policy, identity, rules, budget, mode, encryption, deployment, onNode, tracing }),
    ...openConversations(store, registry),
    ...(concurrentNodes !== undefined && { sdk: { maxConcurrentActivityTaskExecutions: concurrentNodes } }),
  });
  made = worker;
  const ended = runUntilStopped(worker, connection, watching, note);
  if (deployment !== undefined) {
    // A build that is not the current one gets no new runs, which nothing else would say.
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
  return { ready, text, ended, stop, logged: () => file?.() };
}

/** @throws OperationError USAGE that names what is missing, or does not fit */
function readDeployment({ deployment: name, build }: WorkerTyped): Deployment | undefined {
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
  note: Output['note'],
): Promise<void> {
  const end = tellStrayErrors(note);
  try {
    await worker.run();
  } finally {
    end();
    await watching.stop();
    await connection.close();
  }
}
