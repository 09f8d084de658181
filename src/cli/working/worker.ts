import type { NativeConnection, Worker } from '@temporalio/worker';
import { encryptionKeys } from '../../config/index.ts';
import { buildName, pollersOf } from '../../client/reach/index.ts';
import { openProjectStore, withConnection, type EquippedProject } from '../../config/project/index.ts';
import { given, type Deployment } from '../../protocol/index.ts';
import type { Output } from '../terminal/index.ts';
import { wrapMessage } from '../../plan/lines/index.ts';
import { visible, cutCharacters, describeValue } from '../../plan/text/index.ts';
import { openReceivers } from '../../config/notify/index.ts';
import { connectWorker, openConversations, openReceipts, openTracing } from '../../config/own-worker/index.ts';
import { createWorker, deploymentProblem, fingerprintOf, readWorkerIdentity, type Trust } from '../../worker/index.ts';
import type { WorkerFlags } from '../flags.ts';
import { keyless, loadModelsForWork, OperationError, wrongUsage } from '../../operations/index.ts';
import { isEncrypted } from '../../store/index.ts';
import type { WorkerLog } from './log.ts';
import { readWatched, startMonitoring, type Watching } from './watch.ts';
import { asyncLocalStorage } from '@temporalio/activity';
import type { ConnectedClient } from '../../client/index.ts';
import type { CapabilityRegistry } from '../../capabilities/builtin/index.ts';

const MOST_TOLD = 4000;

/**
 * Prints each uncaught error with the attempt that caused it, if known. The process continues. Only for the command
 * line: in a library the program must decide.
 * @param report gets visible text, maybe of several lines
 * @returns a function that removes the handler
 */
function reportStrayErrors(report: (text: string) => void): () => void {
  const onStray = (error: unknown, origin: NodeJS.UncaughtExceptionOrigin) => {
    const what = origin === 'unhandledRejection' ? 'a promise was rejected' : 'an error was thrown';
    report(`${what} and nobody caught it; the worker goes on. ${origins()}\n${stackOf(error)}`);
  };
  process.on('uncaughtException', onStray);
  return () => process.off('uncaughtException', onStray);
}

/** The attempt that caused an error. Timers and promises keep their async context; bare microtasks do not. */
function origins(): string {
  const { activityType, activityId, attempt, workflowExecution } = asyncLocalStorage.getStore()?.info ?? {};
  if (activityId === undefined) return 'It is not known of which attempt.';
  return visible(
    `It comes from ${activityType} ${activityId} of run ${workflowExecution?.workflowId}, attempt ${attempt}.`,
  );
}

function stackOf(error: unknown): string {
  try {
    const text = error instanceof Error ? (error.stack ?? String(error)) : describeValue(error);
    return visible(cutCharacters(text, MOST_TOLD), { lines: true });
  } catch {
    return 'an error that cannot be read';
  }
}

export interface ReadyWorker {
  readonly ready: object;
  readonly text: string;
  /** Resolves after SIGINT or SIGTERM, when running tasks have ended or were returned to the server. */
  readonly ended: Promise<void>;
  stop(): void;
}

export function printReady({ ready, text }: ReadyWorker, output: Output): void {
  output.print({ ok: true, ready }, () => wrapMessage(text, output.lineColumns).join('\n'));
}

/**
 * Connects and starts a worker. @param address of the server; default: as for the Temporal CLI @throws ClientError or
 * OperationError within 10 s if the server or the namespace is missing, or another project uses the queue
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
  const receivers = project.notify && openReceivers(project.notify.entries, project.notify.folder);
  const models = await loadModelsForWork(project);
  const encryption = project.encryption && encryptionKeys(project.encryption);
  for (const { id, env } of encryption?.missing ?? [])
    note(`the environment has no ${env}: what the key ${id} has encrypted is not read`);
  // Connects a client first, which fails at once without a server. The native connection would wait long.
  const place = await withConnection(target, async (connected) => {
    if (force === true) return connected.address;
    const trust = { ...project, encryption };
    await refuseStrangers(connected, trust, taskQueue, { note }, deployment && buildName(deployment));
    return connected.address;
  });
  install(watched.metrics);
  const { connection, namespace } = await connectWorker(target);
  const { registry, identity, rules, policy, budget, mode } = project;
  const store = await openProjectStore(project.store(), project.encryption);
  if (encryption === undefined && (await isEncrypted(store).catch(() => false)))
    throw new OperationError('NO_KEY', keyless(store.place));
  const receipts = project.receipts && openReceipts(store, project.receipts(), identity);
  const tracing = options.traces === true ? await openTracing((text) => note(`note: ${text}`)) : undefined;
  let made: Worker | undefined;
  const watching = await startMonitoring(watched, {
    worker: () => made,
    connection,
    namespace,
    taskQueue,
    store,
    target,
    encryption,
    receivers,
    note,
  });
  const worker = await createWorker({
    ...{ connection, namespace, taskQueue, registry, store },
    ...given({ models, policy, identity, receipts, rules, budget, mode, encryption, deployment, onNode, tracing }),
    ...openConversations(store, registry),
    ...(concurrentNodes !== undefined && { sdk: { maxConcurrentActivityTaskExecutions: concurrentNodes } }),
  });
  made = worker;
  const ended = runUntilStopped(worker, connection, watching, note);
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

function readDeployment({ deployment: name, build }: Partial<WorkerFlags>): Deployment | undefined {
  if (name === undefined && build === undefined) return undefined;
  if (name === undefined || build === undefined)
    throw wrongUsage('--deployment NAME and --build ID go together: a release is a build of a deployment');
  const problem = deploymentProblem({ name, build });
  if (problem !== undefined) throw wrongUsage(`--${problem}`);
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

/**
 * Checks which other workers poll the queue. Ignores workers without a fingerprint, and those of other builds, whose
 * tasks the server separates. If the server does not answer within 5 s, a note says so.
 * @param build `NAME:BUILD` of this worker
 * @throws OperationError `TASK_QUEUE_IN_USE` if a worker with other capabilities, keys or approval rules polls it
 */
export async function refuseStrangers(
  connected: ConnectedClient,
  { registry, ...trust }: { readonly registry: CapabilityRegistry } & Trust,
  taskQueue: string,
  { note }: Pick<Output, 'note'>,
  build?: string,
): Promise<void> {
  let identities: readonly string[];
  try {
    const pollers = await pollersOf(connected, taskQueue, 'activity');
    const beside = pollers.filter((poller) => poller.isThere && poller.build === build);
    identities = beside.map((poller) => poller.identity);
  } catch (error) {
    note(
      `the server does not say who works on task queue ${taskQueue} (${(error as Error).message}); ` +
        'whether another project does was not checked',
    );
    return;
  }
  const own = fingerprintOf(registry, trust);
  const stranger = identities.find((one) => isStranger(one, own));
  if (stranger === undefined) return;
  throw new OperationError(
    'TASK_QUEUE_IN_USE',
    `worker ${stranger} with other capabilities, keys or rules than this project's (planwright/${own}) polls task queue ${taskQueue}, ` +
      'and each of the two would be given plans of the other. Give this project a taskQueue of its own in ' +
      'planwright.config.ts (a demo: --task-queue NAME, for run as well); or start with --force where that worker is ' +
      'another version of this project, soon to be stopped',
    { taskQueue, worker: stranger },
  );
}

function isStranger(identity: string, fingerprint: string): boolean {
  const theirs = readWorkerIdentity(identity);
  return theirs !== undefined && theirs.fingerprint !== fingerprint;
}
