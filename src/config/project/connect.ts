/** A connection to the server, to runs and to their results. */

import type { ClientTarget, ConnectedClient, PlanClient, RunHandle, Signer } from '../../client/index.ts';
import type { PlanDocument } from '../../plan/index.ts';
import type { StartRun } from '../../capabilities/builtin/drafts/index.ts';
import type { ResultStore, Store } from '../../store/index.ts';
import { quote } from '../../plan/text/index.ts';
import { AGENT_WORKFLOW, DEFAULT_TASK_QUEUE, given, PLAN_WORKFLOW, readRunName } from '../../protocol/index.ts';
import type { Encryption } from '../index.ts';
import { checkNamespace, describeRun, type ServerRun } from './ask-server.ts';
import type { CapabilityRegistry } from '../../capabilities/builtin/index.ts';

export interface Session extends ConnectedClient {
  readonly plans: PlanClient;
  /** The whole result store. */
  readonly results: Store;
  readonly taskQueue: string;
}

export interface SessionOptions {
  /** The text that names the result store. */
  readonly store: string;
  /** Default: the project's, else `planwright`. */
  readonly taskQueue?: string | undefined;
  /** A project against whose executors plans are checked before a run exists. */
  readonly project?: { readonly taskQueue: string; openRegistry(): Promise<CapabilityRegistry> } | undefined;
  /** Signs everything that is said to a run. */
  readonly signer?: Signer | undefined;
  /** The encryption of the store. */
  readonly encryption?: Encryption | undefined;
}

/** The run that a session is about. */
export interface RunSession extends Session {
  readonly run: RunHandle;
  /** What the store has of the run. */
  readonly store: Pick<ResultStore, 'get' | 'place'>;
  /** The run as the server listed it when the session was opened; undefined where it did not tell. */
  readonly listed: ServerRun | undefined;
}

/**
 * Connects as the TEMPORAL_* variables and the Temporal profile say, else to 127.0.0.1:7233. The caller closes the
 * connection.
 * @throws ClientError within 5 s when there is no server or no such namespace, ConfigError where a key is missing.
 * @example const session = await sessionIn(await connect(), { store, project });
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

/** Connects for as long as some work takes. @throws as `connect` and the work */
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
 * One run, on the task queue that the run really waits on.
 * @throws ClientError `no-run` for another workflow, which would be told what it does not understand
 * @example const { run } = await runIn(await connect(), 'plan-1', { store });
 */
export async function runIn(
  connected: ConnectedClient,
  name: string,
  options: Pick<SessionOptions, 'store' | 'signer' | 'encryption'>,
): Promise<RunSession> {
  const { workflowId } = readRunName(name);
  const named = await describeRun(connected, name);
  const listed = named ?? (workflowId === name ? undefined : await describeRun(connected, workflowId));
  if (listed !== undefined && !RUNS.has(listed.type)) {
    const { ClientError } = await import('../../client/index.ts');
    const known = '"npx planwright list" names the runs that there are';
    throw new ClientError('no-run', `${name} is a workflow of type ${quote(listed.type)}, and no run; ${known}`);
  }
  const session = await sessionIn(connected, { ...options, taskQueue: listed?.taskQueue });
  const run = await session.plans.find(name);
  return { ...session, run, store: run.store, listed };
}

/** The workflow types of a run, and of the run of an agent. */
const RUNS: ReadonlySet<string> = new Set([PLAN_WORKFLOW, AGENT_WORKFLOW]);

/** The runs of the namespace, and those that are started. */
export async function sessionIn(connected: ConnectedClient, options: SessionOptions): Promise<Session> {
  const { createPlanClient } = await import('../../client/index.ts');
  const { project, signer } = options;
  const taskQueue = options.taskQueue ?? project?.taskQueue ?? DEFAULT_TASK_QUEUE;
  const results = await openStore(options.store, options.encryption);
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
  const answer = await createDrafts(store).results(conversation);
  return answer.ok ? Object.fromEntries(answer.results.map(({ key, ref }) => [key, ref])) : {};
}

/**
 * The store that a text names; with encryption nothing stands in it in clear. The keys are read with its first call: a project is
 * opened also by those who have none.
 */
export async function openStore(text: string, encryption?: Encryption): Promise<Store> {
  const { encryptedStore, openStore: open } = await import('../../store/index.ts');
  if (encryption === undefined) return open(text);
  const { encryptionKeys } = await import('../index.ts');
  return encryptedStore(open(text), () => encryptionKeys(encryption));
}

/** @param by who starts it, where the session signs */
export function startOnce({ plans }: Session, by?: string): StartRun {
  return (document, once, conversation) => {
    const options = given({ conversation });
    return plans.start(document as PlanDocument, { once, options, ...given({ by }) });
  };
}
