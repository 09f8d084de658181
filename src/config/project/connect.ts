import type { ClientTarget, ConnectedClient, PlanClient, RunHandle, Signer } from '../../client/index.ts';
import type { PlanDocument } from '../../plan/index.ts';
import type { StartRun } from '../../capabilities/builtin/drafts/index.ts';
import type { ResultStore, Store } from '../../store/index.ts';
import { quote } from '../../plan/text/index.ts';
import { AGENT_WORKFLOW, DEFAULT_TASK_QUEUE, given, PLAN_WORKFLOW, readRunName } from '../../protocol/index.ts';
import type { Encryption } from '../index.ts';
import type { CapabilityRegistry } from '../../capabilities/builtin/index.ts';
import type { WorkflowExecutionStatusName } from '@temporalio/client';

interface ServerRun {
  readonly type: string;
  readonly taskQueue: string;
  /** `running`, or how it was closed. */
  readonly status: 'running' | 'completed' | 'failed' | 'cancelled' | 'terminated' | 'timed-out' | 'unknown';
  /** The goal, from the summary of the run's first execution; undefined if payloads are encrypted. */
  readonly goal?: string;
}

const DEADLINE_MS = 5000;
const GRPC_NOT_FOUND = 5;

export const SERVER_STATUSES = {
  RUNNING: 'running',
  PAUSED: 'running',
  CONTINUED_AS_NEW: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  TERMINATED: 'terminated',
  TIMED_OUT: 'timed-out',
  UNSPECIFIED: 'unknown',
  UNKNOWN: 'unknown',
} as const satisfies Record<WorkflowExecutionStatusName, ServerRun['status']>;

/** @throws ClientError `no-namespace` or `no-server` within 5 s. */
export async function checkNamespace({ client, namespace, address }: ConnectedClient): Promise<void> {
  try {
    await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      client.workflowService.describeNamespace({ namespace }),
    );
  } catch (error) {
    const { ClientError, noNamespace } = await import('../../client/client-error.ts');
    const { code, message } = error as { code?: number; message: string };
    if (code === GRPC_NOT_FOUND) throw noNamespace({ namespace, address }, error);
    const why = `the Temporal server at ${address} does not say whether it has namespace ${namespace}: ${message}`;
    throw new ClientError('no-server', why);
  }
}

/** The server's entry for the run; undefined if the server does not answer, since the next query has a better error. */
async function describeRun({ client }: ConnectedClient, workflowId: string): Promise<ServerRun | undefined> {
  try {
    const deadline = Date.now() + DEADLINE_MS;
    const { last, goal } = await client.connection.withDeadline(deadline, () => firstExecution(client, workflowId));
    const { type, taskQueue, status } = last;
    return given({ type, taskQueue, status: SERVER_STATUSES[status.name], goal });
  } catch {
    return undefined;
  }
}

/** The last execution of a run, with facts of the first, which alone has the goal as its summary. */
export async function firstExecution({ workflow }: ConnectedClient['client'], workflowId: string, runId?: string) {
  const last = await workflow.getHandle(workflowId, runId).describe();
  const { firstRunId } = last.raw.workflowExecutionInfo ?? {};
  const isLater = typeof firstRunId === 'string' && firstRunId !== '' && firstRunId !== last.runId;
  const first = isLater ? await workflow.getHandle(workflowId, firstRunId).describe() : last;
  const summary = await first.staticSummary().catch(() => undefined);
  return { last, goal: summary === '' ? undefined : summary, startTime: first.startTime };
}

export interface Session extends ConnectedClient {
  readonly plans: PlanClient;
  readonly results: Store;
  readonly taskQueue: string;
}

export interface SessionOptions {
  readonly store: string;
  readonly taskQueue?: string | undefined;
  /** If set, plans are checked with its executors before they start. */
  readonly project?: { readonly taskQueue: string; openRegistry(): Promise<CapabilityRegistry> } | undefined;
  readonly signer?: Signer | undefined;
  readonly encryption?: Encryption | undefined;
}

export interface RunSession extends Session {
  readonly run: RunHandle;
  readonly store: Pick<ResultStore, 'get' | 'place'>;
  /** The server's entry for the run; undefined if the server did not answer. */
  readonly listed: ServerRun | undefined;
}

/**
 * Connects by the TEMPORAL_* variables and the Temporal profile, otherwise to 127.0.0.1:7233. The caller closes the
 * connection.
 * @throws ClientError within 5 s without a server or the namespace, ConfigError if a key is missing
 */
export async function connect(target: ClientTarget = {}, encryption?: Encryption): Promise<ConnectedClient> {
  const { connectClient } = await import('../../client/index.ts');
  const keys = encryption && (await import('../index.ts')).encryptionKeys(encryption);
  const connected = await connectClient({ ...target, ...given({ encryption: keys }) });
  try {
    await checkNamespace(connected);
    return connected;
  } catch (error) {
    await connected.close();
    throw error;
  }
}

/** Connects, calls `work`, and closes the connection. @throws as `connect` and `work` */
export async function withConnection<T>(
  target: ClientTarget,
  work: (connected: ConnectedClient) => Promise<T>,
  encryption?: Encryption,
): Promise<T> {
  const connected = await connect(target, encryption);
  try {
    return await work(connected);
  } finally {
    await connected.close();
  }
}

/**
 * Connects to a run on its task queue.
 * @throws ClientError `no-run` if the id belongs to another workflow
 */
export async function connectRun(
  connected: ConnectedClient,
  name: string,
  options: Pick<SessionOptions, 'store' | 'signer' | 'encryption'>,
): Promise<RunSession> {
  const { workflowId } = readRunName(name);
  const named = await describeRun(connected, name);
  const listed = named ?? (workflowId === name ? undefined : await describeRun(connected, workflowId));
  if (listed !== undefined && !RUNS.has(listed.type)) {
    const { ClientError } = await import('../../client/index.ts');
    const hint = '"npx planwright list" names the runs that there are';
    throw new ClientError('no-run', `${name} is a workflow of type ${quote(listed.type)}, and no run; ${hint}`);
  }
  const session = await sessionIn(connected, { ...options, taskQueue: listed?.taskQueue });
  const run = await session.plans.find(name);
  return { ...session, run, store: run.store, listed };
}

const RUNS: ReadonlySet<string> = new Set([PLAN_WORKFLOW, AGENT_WORKFLOW]);

export async function sessionIn(connected: ConnectedClient, options: SessionOptions): Promise<Session> {
  const { createPlanClient } = await import('../../client/index.ts');
  const { project, signer } = options;
  const taskQueue = options.taskQueue ?? project?.taskQueue ?? DEFAULT_TASK_QUEUE;
  const results = await openProjectStore(options.store, options.encryption);
  const plans = createPlanClient({
    ...connected,
    store: results,
    taskQueue,
    resultRefs: (conversation) => resultRefsOf(results, conversation),
    ...given({ catalogue: project && (() => project.openRegistry()), signer }),
  });
  return { ...connected, plans, results, taskQueue };
}

async function resultRefsOf(store: Store, conversation: string): Promise<Readonly<Record<string, string>>> {
  const { createDrafts } = await import('../../capabilities/builtin/drafts/index.ts');
  const { results } = await createDrafts(store).results(conversation);
  return Object.fromEntries(results.map(({ key, ref }) => [key, ref]));
}

/** Opens the named result store, encrypted if set. Reads keys on first use, since not all users have them. */
export async function openProjectStore(text: string, encryption?: Encryption): Promise<Store> {
  const { encryptedStore, openStore: open } = await import('../../store/index.ts');
  if (encryption === undefined) return open(text);
  const { encryptionKeys } = await import('../index.ts');
  return encryptedStore(open(text), () => encryptionKeys(encryption));
}

/**
 * Returns a function that starts a run. Calls with the same `once` start only one run.
 * @param by who starts the run, if the session signs
 */
export function startOnce({ plans }: Session, by?: string): StartRun {
  return (document, once, conversation) => {
    const options = given({ conversation });
    return plans.start(document as PlanDocument, { once, options, ...given({ by }) });
  };
}
