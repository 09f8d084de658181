/** Puts a worker together: workflows, activities, the converter that no message can break, and the bounds. */

import { existsSync } from 'node:fs';
import { Worker, type NativeConnection, type WorkerOptions as TemporalWorkerOptions } from '@temporalio/worker';
import { createActivities, type ActivityDependencies, type NodeEvent } from '../activities/index.ts';
import type { CapabilityRegistry } from '../capabilities/index.ts';
import { publicKeysOf, type IdentityConfig } from '../identity/index.ts';
import type { ResultStore } from '../results/index.ts';
import type { ApprovalRule, HistoryBudget } from '../contract/index.ts';
import { hasInbox } from './find-inbox.ts';
import { modelProblem } from './open-models.ts';
import { workerIdentity } from './fingerprint.ts';
import { BUNDLE, DATA_CONVERTER, EXTENSION, WORKFLOW_SOURCES } from './workflow-sources.ts';

export interface WorkerOptions {
  readonly connection: NativeConnection;
  readonly namespace: string;
  readonly taskQueue: string;
  readonly registry: CapabilityRegistry;
  readonly store: ResultStore;
  /** Hears every attempt at a node. */
  readonly onNode?: (event: NodeEvent) => void;
  /** Nodes this worker carries out at once. Default 100. */
  readonly concurrentNodes?: number;
  /** A prebuilt workflow bundle. Default: the one that the build made, else bundled at start (about 1 s). */
  readonly bundlePath?: string;
  /** Whose word counts: with keys every message to a run must be signed. Default: nobody is asked to prove who they are. */
  readonly identity?: IdentityConfig;
  /** Approval rules that hold in every run of this project, on top of the run's own. */
  readonly rules?: readonly ApprovalRule[];
  /** What goals are planned with and agents decide with (`openModels`). Default none: runs start from plans, without agents. */
  readonly models?: ActivityDependencies['models'];
  /** How the loops of goals decide (`definePolicy`). Default: the model decides each step. */
  readonly policy?: ActivityDependencies['loopPolicy'];
  /** What a conversation has, for the planner; and how a plan that it made is kept there. */
  readonly conversationOf?: ActivityDependencies['conversationOf'];
  readonly keepDraft?: ActivityDependencies['keepDraft'];
  /** How what a run leaves at its end is kept in its conversation. */
  readonly keepEnd?: ActivityDependencies['keepEnd'];
  /** Runs kept in memory between their tasks. Default 500. 0 replays a run at each of its tasks. */
  readonly maxCachedWorkflows?: number;
  /** Workflow tasks at once. Default: the SDK's. */
  readonly concurrentWorkflowTasks?: number;
  /** How long one history of a run may get; for tests, which let a run go on in a new one after a few nodes. */
  readonly budget?: HistoryBudget;
  /** What the server calls this worker, before ` planwright/` and its fingerprint. Default: process id and host. */
  readonly workerName?: string;
}

/**
 * The waits that decide how fast a run goes on after a crash: a workflow task waits this long for a dead worker,
 * an attempt is given up after 10 s of silence (`heartbeatMs` of its capability).
 */
const STICKY = '2 seconds';
/** Cancellation reaches an activity with its heartbeat, so heartbeats must not be held back long. */
const HEARTBEAT_THROTTLE = '3 seconds';
/** What an attempt in flight gets to end when the worker is asked to stop. */
const GRACE = '10 seconds';
/** A capability that ignores its signal must not keep the process. */
const FORCE = '30 seconds';
/** About 0.4 MB each for a plan of 30 nodes, 1.4 MB for one of 1,000 (`npx tsx bench/cached.ts`). */
const CACHED_RUNS = 500;

/**
 * The worker of a project: its workflows, its activities and the bounds of both. `run()` is the SDK's own.
 * @throws TypeError when a rule names a capability that is not there, a key is none, or there are agents and no models:
 * found at the start.
 * @example
 * const place = { ...(await connectWorker()), taskQueue: 'planwright' };
 * const worker = await createWorker({ ...place, registry: createRegistry([search]), store: createFileStore('results') });
 * await worker.run();
 */
export async function createWorker(options: WorkerOptions): Promise<Worker> {
  const { connection, namespace, taskQueue, workerName, concurrentNodes = 100, concurrentWorkflowTasks } = options;
  const given = dependencies(options);
  const inbox = await hasInbox(connection, namespace);
  return Worker.create({
    connection,
    namespace,
    taskQueue,
    identity: workerIdentity(options.registry, workerName),
    ...workflows(options.bundlePath),
    activities: { ...createActivities({ ...given, inbox }) },
    dataConverter: DATA_CONVERTER,
    stickyQueueScheduleToStartTimeout: STICKY,
    maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
    shutdownGraceTime: GRACE,
    shutdownForceTime: FORCE,
    maxCachedWorkflows: options.maxCachedWorkflows ?? CACHED_RUNS,
    ...(concurrentWorkflowTasks !== undefined && { maxConcurrentWorkflowTaskExecutions: concurrentWorkflowTasks }),
    maxConcurrentActivityTaskExecutions: concurrentNodes,
  });
}

function dependencies(options: WorkerOptions): ActivityDependencies {
  const { registry, store, onNode, identity, rules, budget, models, policy, conversationOf, keepDraft, keepEnd } =
    options;
  const unknown = rules?.find(
    ({ capability }) => capability !== undefined && registry.capability(capability) === undefined,
  );
  if (unknown !== undefined) {
    throw new TypeError(
      `an approval rule names capability ${unknown.capability}; declared are ${registry.capabilities.join(', ')}`,
    );
  }
  const missing = modelProblem(registry, models);
  if (missing !== undefined) throw new TypeError(missing);
  return {
    registry,
    store,
    ...(onNode !== undefined && { onNode }),
    ...(budget !== undefined && { budget }),
    ...(models !== undefined && { models }),
    ...(policy !== undefined && { loopPolicy: policy }),
    ...(conversationOf !== undefined && { conversationOf }),
    ...(keepDraft !== undefined && { keepDraft }),
    ...(keepEnd !== undefined && { keepEnd }),
    ...(rules !== undefined && { policy: { rules } }),
    ...(identity !== undefined && { keys: publicKeysOf(identity) }),
  };
}

function workflows(
  bundlePath: string | undefined,
): Pick<TemporalWorkerOptions, 'workflowBundle'> | WorkflowsFromSources {
  if (bundlePath !== undefined) return { workflowBundle: { codePath: bundlePath } };
  if (EXTENSION === 'js' && existsSync(BUNDLE)) return { workflowBundle: { codePath: BUNDLE } };
  const { workflowsPath, preloadModules, workflowInterceptorModules: workflowModules } = WORKFLOW_SOURCES;
  return { workflowsPath, bundlerOptions: { preloadModules }, interceptors: { workflowModules } };
}

type WorkflowsFromSources = Required<Pick<TemporalWorkerOptions, 'workflowsPath' | 'bundlerOptions' | 'interceptors'>>;
