/**
 * A worker on the real server with a task queue, a store and an effect ledger of its own. When it closes it replays the
 * history of every run that its task queue saw: a run that passed once but would not replay is a failure.
 */

import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection, WorkflowUpdateFailedError, type WorkflowHandle } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { NativeConnection, Worker } from '@temporalio/worker';
import { afterAll, inject, onTestFinished } from 'vitest';
import type { NodeEvent } from '../../src/activities/index.ts';
import { createPlanClient, type PlanClient } from '../../src/client/index.ts';
import { createRegistry, type CapabilityRegistry } from '../../src/capabilities/builtin/index.ts';
import type { Agent, Capability, LoopPolicy } from '../../src/capabilities/index.ts';
import { createFileStore, encryptedStore, readResult, type Result, type Store } from '../../src/store/index.ts';
import {
  encryptionCodec,
  lenientCodec,
  openKeyring,
  type EncryptionKeys,
} from '../../src/protocol/encryption/index.ts';
import type { IdentityConfig } from '../../src/protocol/identity/index.ts';
import {
  PLAN_WORKFLOW,
  type ApprovalRule,
  type Budget,
  type HistoryBudget,
  type Lane,
  type Reply,
  type NodesPage,
  type NodeStatus,
  type OpenItem,
  type PlanView,
  type RunMode,
  type RunResult,
  type RunStatus,
  type TraceEntry,
  type TraceKind,
  type TracePage,
  type Deployment,
} from '../../src/protocol/index.ts';
import type { PlanwrightConfig } from '../../src/config/index.ts';
import { createWorker, DATA_CONVERTER, type WorkerOptions } from '../../src/worker/index.ts';
import { openConversations, openModels, openReceipts } from '../../src/config/own-worker/index.ts';
import { quietRuntime } from './runtime.ts';
import { anywhere } from './anywhere.ts';
import { eventually } from './eventually.ts';
import { memoryFolder } from './memory-folder.ts';

quietRuntime();

type EntryOf<What extends TraceKind> = Extract<TraceEntry, { what: What }>;

export interface RigOptions {
  readonly capabilities: readonly Capability[];
  readonly agents?: readonly Agent[];
  /** What goals are planned with and agents decide with. */
  readonly model?: NonNullable<PlanwrightConfig['model']>;
  /** How the loops of goals decide. Default: the model does. */
  readonly policy?: LoopPolicy;
  readonly defaultExecutor?: string;
  readonly identity?: IdentityConfig;
  /** The private key that signs receipts. Default: there are none. */
  readonly receipts?: string;
  /** The keys of its client, and of workers that are started without other ones. */
  readonly encryption?: EncryptionKeys;
  readonly rules?: readonly ApprovalRule[];
  /** Nodes that its worker carries out at once. Default: the product's own. */
  readonly concurrentNodes?: number;
  /** Milliseconds until a worker that is shut down asks what is at work to stop. Default: the product's own. */
  readonly shutdownGraceTime?: number;
  /** How the end of a run is kept in its conversation. Default: in the rig's store. */
  readonly keepEnd?: WorkerOptions['keepEnd'];
  /** What its workers have in place of the rig's store. */
  readonly storeOf?: (store: Store) => Store;
  /** How long one history may get. Default: the product's own, or tiny in a hostile test run. */
  readonly budget?: HistoryBudget;
  /** How long parts go on. Default: the product's own. */
  readonly partTimes?: WorkerOptions['partTimes'];
  /** The most that each run of the project may spend. */
  readonly spending?: Budget;
  /** Default `default`. */
  readonly namespace?: string;
  /** A store that is there. Default: one of its own, in a folder. */
  readonly store?: Store;
  /** The release that its first worker is. Default: none. */
  readonly deployment?: Deployment;
  /** How a goal is run that does not say it. */
  readonly mode?: RunMode;
}

/** One worker beside others. */
export interface WorkerAs {
  /** The release that it is. Default: none. */
  readonly deployment?: Deployment;
  /** Default: the rig's. */
  readonly encryption?: EncryptionKeys;
  /** The code of another build's workflows. Default: the build's own. */
  readonly bundle?: string;
  /** Its project's approval rules. Default: the rig's. */
  readonly rules?: readonly ApprovalRule[];
}

export interface Rig {
  readonly client: Client;
  readonly connection: Connection;
  readonly taskQueue: string;
  readonly store: Store;
  readonly registry: CapabilityRegistry;
  /** Every attempt at a node, in order. */
  readonly ledger: NodeEvent[];
  start(input: unknown, workflowId?: string): Promise<WorkflowHandle>;
  /** A run that has asked for its approval. */
  startAsked(input: unknown, workflowId?: string): Promise<{ run: WorkflowHandle; digest: string }>;
  startApproved(input: unknown, workflowId?: string): Promise<WorkflowHandle>;
  /** Waits until the run's status fits, asking it again and again until the deadline. */
  until(run: WorkflowHandle, fits: (status: RunStatus) => boolean): Promise<RunStatus>;
  approve(run: WorkflowHandle): Promise<void>;
  /** Says it by update; of a refusal the reason. */
  say(run: WorkflowHandle, name: 'decide' | 'answer' | 'control', message: object): Promise<string>;
  open(run: WorkflowHandle): Promise<readonly OpenItem[]>;
  /** Waits until a question, an approval or a node to settle is open, by its id. */
  opened(run: WorkflowHandle, fits: (item: OpenItem) => boolean): Promise<OpenItem>;
  trace<What extends TraceKind>(run: WorkflowHandle, what?: What): Promise<readonly EntryOf<What>[]>;
  statuses(run: WorkflowHandle): Promise<readonly NodeStatus[]>;
  /** Waits for the run of its first agent. */
  childOf(run: WorkflowHandle): Promise<WorkflowHandle>;
  /** How often the nodes of a run were begun, by node id. */
  begun(run: WorkflowHandle): Readonly<Record<string, number>>;
  /** Starts, approves, and waits for the end. */
  run(input: unknown): Promise<RunResult>;
  read(ref: string | undefined): Promise<Result>;
  /** Beside those that are there. @returns what stops just this one */
  startWorker(capabilities?: CapabilityRegistry, policy?: LoopPolicy, as?: WorkerAs): Promise<() => Promise<void>>;
  stopWorker(): Promise<void>;
  /** @param keys that its workers have written with. Default: the rig's */
  close(keys?: EncryptionKeys): Promise<void>;
}

let rigs = 0;
/** Messages as large as the server takes make a page of a history larger than the 4 MiB that gRPC takes by default. */
const LARGE_HISTORIES = { 'grpc.max_receive_message_length': 128 * 2 ** 20 };

/** What a hostile test run does to every worker: histories of a few nodes, nothing cached, one thing at a time. */
const TINY: HistoryBudget = { soft: { events: 60, bytes: 2 ** 20 }, hard: { events: 400, bytes: 4 * 2 ** 20 } };

export async function openRig(options: RigOptions): Promise<Rig> {
  const {
    capabilities,
    agents = [],
    defaultExecutor,
    identity,
    receipts,
    encryption,
    rules,
    budget,
    spending,
    concurrentNodes,
    shutdownGraceTime,
    partTimes,
    model,
    policy,
    keepEnd,
    mode,
    storeOf = (own) => own,
    namespace = 'default',
    deployment,
  } = options;
  const isHostile = inject('hostile');
  const address = inject('address');
  const bundlePath = inject('bundlePath');
  const taskQueue = `test-${process.pid}-${Date.now().toString(36)}-${++rigs}`;
  const folder = await mkdtemp(join(memoryFolder(), 'planwright-rig-'));
  const files = options.store ?? createFileStore(join(folder, 'results'));
  const store = encryption === undefined ? files : encryptedStore(files, encryption);
  const registry = createRegistry(capabilities, {
    agents,
    ...(defaultExecutor !== undefined && { defaultExecutor }),
  });
  const models = model && openModels({ model });
  const connection = await Connection.connect({ address, channelArgs: LARGE_HISTORIES });
  const workerConnection = await NativeConnection.connect({ address });
  const client = new Client({ connection, namespace, dataConverter: { payloadCodecs: [encryptionCodec(encryption)] } });
  const ledger: NodeEvent[] = [];
  const workers: { stop(): Promise<void> }[] = [];
  let started = 0;

  const rig: Rig = {
    client,
    connection,
    taskQueue,
    store,
    registry,
    ledger,
    start: (input, workflowId = `${taskQueue}-${++started}`) =>
      client.workflow.start(PLAN_WORKFLOW, { taskQueue, workflowId, args: [inLane(input, inject('lane'))] }),
    async startAsked(...what) {
      const run = await rig.start(...what);
      const { digest = '' } = await rig.opened(run, ({ kind }) => kind === 'approval');
      return { run, digest };
    },
    async startApproved(...what) {
      const run = await rig.start(...what);
      await rig.approve(run);
      return run;
    },
    async until(run, fits) {
      let status: RunStatus;
      const look = async () => fits((status = await ask<RunStatus>(run, 'status'))) && status;
      return eventually(look, { isFatal: () => true, seen: () => `the run stayed at ${JSON.stringify(status)}` });
    },
    async approve(run) {
      await rig.until(run, ({ phase }) => phase !== 'drafting');
      const { digest } = await ask<PlanView>(run, 'plan');
      await tell(run, 'decide', { kind: 'approve', digest, by: 'operator' });
    },
    async say(run, name, message) {
      try {
        const heard = await tell(run, name, message);
        return heard.ok ? heard.reply : heard.reason;
      } catch (error) {
        if (error instanceof WorkflowUpdateFailedError) return error.cause?.message ?? error.message;
        throw error;
      }
    },
    open: (run) => ask<readonly OpenItem[]>(run, 'questions'),
    async opened(run, fits) {
      let open: readonly OpenItem[] = [];
      const look = async () => (open = await rig.open(run)).find(fits);
      return eventually(look, { isFatal: () => true, seen: () => `open stayed ${JSON.stringify(open)}` });
    },
    async trace<What extends TraceKind>(run: WorkflowHandle, what?: What) {
      const found: EntryOf<What>[] = [];
      for (let after: number | undefined = 0; after !== undefined;) {
        const from: number = after;
        const page: TracePage = await ask<TracePage>(run, 'trace', { after });
        const text = page.stored && Buffer.from(await anywhere(store).get(page.stored)).toString('utf8');
        const stored = text === undefined ? [] : (JSON.parse(text) as TraceEntry[]);
        const entries = [...stored.filter(({ seq }) => seq > from), ...page.entries];
        found.push(...entries.filter((entry): entry is EntryOf<What> => what === undefined || entry.what === what));
        after = page.next;
      }
      return found;
    },
    statuses: async (run) => (await ask<NodesPage>(run, 'nodes')).nodes.map(({ status }) => status),
    async childOf(run) {
      const { children = [] } = await rig.until(run, (status) => (status.children?.length ?? 0) > 0);
      return client.workflow.getHandle(children[0]?.workflowId ?? '');
    },
    begun(run) {
      const begun: Record<string, number> = {};
      for (const { what, workflowId, nodeId } of ledger) {
        if (what === 'started' && workflowId === run.workflowId) begun[nodeId] = (begun[nodeId] ?? 0) + 1;
      }
      return begun;
    },
    async run(input) {
      const run = await rig.startApproved(input);
      return (await run.result()) as RunResult;
    },
    read: (ref) => readResult(anywhere(store), ref ?? ''),
    async startWorker(
      other = registry,
      now = policy,
      { deployment: release, encryption: keys = encryption, bundle: code, rules: asks = rules } = {},
    ) {
      // The SDK takes one worker of a queue for each connection.
      const another = workers.length === 0 ? undefined : await NativeConnection.connect({ address });
      const running = await createWorker({
        connection: another ?? workerConnection,
        namespace,
        taskQueue,
        registry: other,
        store: storeOf(store),
        sdk: {
          workflowBundle: code === undefined ? { codePath: bundlePath } : { code },
          ...(concurrentNodes !== undefined && { maxConcurrentActivityTaskExecutions: concurrentNodes }),
          ...(shutdownGraceTime !== undefined && { shutdownGraceTime }),
          ...(isHostile && { maxCachedWorkflows: 0, maxConcurrentWorkflowTaskExecutions: 1 }),
        },
        onNode: (event) => ledger.push(event),
        ...openConversations(store, other),
        ...(keepEnd !== undefined && { keepEnd }),
        ...(identity !== undefined && { identity }),
        ...(receipts !== undefined && { receipts: openReceipts(storeOf(store), receipts, identity) }),
        ...(keys !== undefined && { encryption: keys }),
        ...(asks !== undefined && { rules: asks }),
        ...(models !== undefined && { models }),
        ...(now !== undefined && { policy: now }),
        ...(isHostile && { historyBudget: TINY }),
        ...(budget !== undefined && { historyBudget: budget }),
        ...(partTimes !== undefined && { partTimes }),
        ...(spending !== undefined && { budget: spending }),
        ...(release !== undefined && { deployment: release }),
        ...(mode !== undefined && { mode }),
      });
      const stopped = running.run();
      const one = {
        async stop() {
          workers.splice(workers.indexOf(one), 1);
          running.shutdown();
          await stopped;
          await another?.close();
        },
      };
      workers.push(one);
      return one.stop;
    },
    async stopWorker() {
      await Promise.all([...workers].map((one) => one.stop()));
    },
    async close(keys = encryption) {
      await rig.stopWorker();
      await replayAll(client, taskQueue, bundlePath, keys);
      await workerConnection.close();
      await connection.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  await rig.startWorker(registry, policy, deployment === undefined ? {} : { deployment });
  return rig;
}

/** A rig of all tests of a file, which closes after them. */
export async function sharedRig(options: RigOptions): Promise<Rig> {
  const rig = await openRig(options);
  afterAll(() => rig.close());
  return rig;
}

/** A rig of one test, which closes after it. */
export async function ownRig(options: RigOptions): Promise<Rig> {
  const rig = await openRig(options);
  onTestFinished(() => rig.close());
  return rig;
}

/** A client of plans on the server, the store and the queue of a rig. */
export function plansOf({ client, store, taskQueue }: Rig): PlanClient {
  return createPlanClient({ client, store, taskQueue, address: inject('address'), namespace: 'default' });
}

/** A test that names a lane means it; one that sends what is no input at all means that; what is signed stays as it is. */
function inLane(input: unknown, lane: Lane | undefined): unknown {
  if (lane === undefined || typeof input !== 'object' || input === null || Array.isArray(input)) return input;
  if ('token' in input) return input;
  const { options } = input as { readonly options?: unknown };
  if (options !== undefined && (typeof options !== 'object' || options === null)) return input;
  return { ...input, options: { lane, ...options } };
}

/** A run that is on its way to its next history answers a moment later. */
function ask<T>(run: WorkflowHandle, query: string, ...args: unknown[]): Promise<T> {
  return patiently(() => run.query<T, unknown[]>(query, ...args));
}

function tell(run: WorkflowHandle, name: string, message: unknown): Promise<Reply> {
  const options = { args: [message] as [unknown], updateId: randomUUID() };
  return patiently(() => run.executeUpdate<Reply, [unknown]>(name, options));
}

const BETWEEN =
  /ask again in a moment|between two histories|task in failed state|workflow is closing|update was aborted|aborted by closing|unexpected workflow task failure|wasn't processed by worker|completed before the update completed/i;

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  const isFatal = (error: unknown) => {
    const texts: string[] = [];
    for (let one: unknown = error; one instanceof Error; one = one.cause) texts.push(one.message);
    return !BETWEEN.test(texts.join(' '));
  };
  // What a query or an update answers may be nothing.
  return (await eventually(async () => ({ answer: await work() }), { isFatal })).answer;
}

async function replayAll(
  client: Client,
  taskQueue: string,
  bundlePath: string,
  encryption: EncryptionKeys | undefined,
): Promise<void> {
  const options = {
    workflowBundle: { codePath: bundlePath },
    dataConverter: { ...DATA_CONVERTER, payloadCodecs: [lenientCodec(encryption && openKeyring(encryption))] },
  };
  // Every history of a chain, not the last one alone; one worker replays them all.
  const histories = client.workflow.list({ query: `TaskQueue = "${taskQueue}"` }).intoHistories();
  for await (const { workflowId, runId, error } of Worker.runReplayHistories(options, histories)) {
    if (error === undefined) continue;
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    const kept = join(tmpdir(), `planwright-no-replay-${workflowId}-${runId}.json`);
    await writeFile(kept, JSON.stringify(JSON.parse(historyToJSON(history)), undefined, 1));
    throw new Error(`the history of ${workflowId} does not replay; it is kept in ${kept}`, { cause: error });
  }
}
