/** A command's connection to the server, to runs and to their results. */

import {
  connectClient,
  createPlanClient,
  type ConnectedClient,
  type PlanClient,
  type RunHandle,
  type Signer,
} from '../../client/index.ts';
import { createFileStore, type ResultStore } from '../../results/index.ts';
import { DEFAULT_TASK_QUEUE } from '../../contract/index.ts';
import type { GlobalOptions } from '../act.ts';
import { CliError } from '../cli-error.ts';
import type { Project } from './open-project.ts';

export interface Session extends ConnectedClient {
  readonly plans: PlanClient;
  readonly store: ResultStore;
  readonly taskQueue: string;
  /** The connection flags that were typed, for the commands we tell people to type: `''` or ` --address ...`. */
  readonly flags: string;
}

export interface SessionOptions {
  readonly storeDir: string;
  readonly taskQueue?: string;
  readonly project?: Project;
  /** With it everything that is said to a run is signed. */
  readonly signer?: Signer | undefined;
}

/** @throws ClientError or CliError within 5 s when there is no server or no such namespace. */
export async function connect(options: GlobalOptions, session: SessionOptions): Promise<Session> {
  const connected = await connectClient();
  try {
    await checkNamespace(connected);
    return openSession(options, connected, session);
  } catch (error) {
    await connected.close();
    throw error;
  }
}

/** Connects to one run, and lets go of it at the end of the work. */
export async function withRun<T>(
  options: GlobalOptions,
  { workflowId, ...session }: Pick<SessionOptions, 'storeDir' | 'signer'> & { readonly workflowId: string },
  work: (run: RunHandle, session: Session) => Promise<T>,
): Promise<T> {
  const connected = await connectClient();
  try {
    await checkNamespace(connected);
    const taskQueue = await taskQueueOf(connected, workflowId);
    const opened = openSession(options, connected, { ...session, taskQueue });
    return await work(opened.plans.run(workflowId), opened);
  } finally {
    await connected.close();
  }
}

/** Ends within 5 s with a CliError when the server does not have the namespace. */
export async function checkNamespace({ client, namespace, address }: ConnectedClient): Promise<void> {
  try {
    await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      client.workflowService.describeNamespace({ namespace }),
    );
  } catch (error) {
    const { code, message } = error as { code?: number; message: string };
    if (code !== GRPC_NOT_FOUND) {
      throw new CliError(
        'NO_SERVER',
        `the Temporal server at ${address} does not say whether it has namespace ${namespace}: ${message}`,
      );
    }
    throw new CliError(
      'NO_NAMESPACE',
      `namespace ${namespace} is not on ${address}; name another with --namespace, ` +
        `or make it with: temporal operator namespace create -n ${namespace} --address ${address}`,
    );
  }
}

const DEADLINE_MS = 5000;
const GRPC_NOT_FOUND = 5;

function openSession(options: GlobalOptions, connected: ConnectedClient, session: SessionOptions): Session {
  const taskQueue = session.taskQueue ?? session.project?.taskQueue ?? DEFAULT_TASK_QUEUE;
  const store = createFileStore(session.storeDir);
  const catalogue = session.project?.registry;
  const plans = createPlanClient({
    ...connected,
    store,
    taskQueue,
    ...(catalogue !== undefined && { catalogue }),
    ...(session.signer !== undefined && { signer: session.signer }),
  });
  return { ...connected, plans, store, taskQueue, flags: connectionFlags(options) };
}

/** So that a message about a missing worker names the queue that the run really waits on. */
async function taskQueueOf({ client }: ConnectedClient, workflowId: string): Promise<string> {
  try {
    const handle = client.workflow.getHandle(workflowId);
    return (await client.connection.withDeadline(Date.now() + DEADLINE_MS, () => handle.describe())).taskQueue;
  } catch {
    // The command's own question to this run fails next, with a better reason.
    return DEFAULT_TASK_QUEUE;
  }
}

function connectionFlags({ address, namespace }: GlobalOptions): string {
  return `${address === undefined ? '' : ` --address ${address}`}${namespace === undefined ? '' : ` --namespace ${namespace}`}`;
}
