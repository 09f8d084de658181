/** Planwright as a plugin of Temporal's SDK: for a worker that somebody has, beside its own workflows and activities. */

import { Runtime, type BundlerPlugin, type WorkerPlugin } from '@temporalio/worker';
import {
  createActivities,
  type ActivityDependencies,
  type NodeEvent,
  type ProjectModels,
  type Tracing,
} from '../activities/index.ts';
import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import {
  budgetProblems,
  DEFAULT_NAMESPACE,
  given as known,
  type ApprovalRule,
  type Budget,
  type HistoryBudget,
  type ConversationRun,
  type RunMode,
} from '../protocol/index.ts';
import { openKeyring, type EncryptionKeys } from '../protocol/encryption/index.ts';
import { publicKeysOf, type IdentityConfig } from '../protocol/identity/index.ts';
import type { ConversationSources } from '../planner/index.ts';
import type { LoopPolicy } from '../capabilities/index.ts';
import type { Store } from '../store/index.ts';
import { buildIdOf, DATA_CONVERTER, SEALING_CONVERTER, SHARED_ROOMS, WORKFLOW_SOURCES } from './workflow-sources.ts';
import { hasInbox, idOfNamespace } from './find-inbox.ts';
import { workerIdentity } from './fingerprint.ts';
import { withOwnWorkflows, UNVERSIONED, withWorkflows, converters } from './own-workflows.ts';

/** The parts that the runs of a project need of their worker. */
export interface PluginOptions {
  readonly registry: CapabilityRegistry;
  readonly store: Store;
  /** Hears every attempt at a node. */
  readonly onNode?: ((event: NodeEvent) => void) | undefined;
  /** Where the spans of planning, of nodes and of calls to models go (`openTracing`). Default: nowhere. */
  readonly tracing?: Tracing | undefined;
  /**
   * The public keys of the people who may speak: with keys every message to a run must be signed. Default: nobody is
   * asked to prove who they are.
   */
  readonly identity?: IdentityConfig | undefined;
  /**
   * The keys with which all that goes to the server is encrypted; behind codecs of the worker's own. The store is encrypted by
   * `encryptedStore`. Default: nothing is.
   */
  readonly encryption?: EncryptionKeys | undefined;
  /** Approval rules that hold in every run of this project, on top of the run's own. */
  readonly rules?: readonly ApprovalRule[] | undefined;
  /**
   * The models that plan goals and decide for agents (`openModels`). Default none: runs start from plans, without
   * agents.
   */
  readonly models?: ProjectModels | undefined;
  /** How the loops of goals decide (`definePolicy`). Default: the model decides each step. */
  readonly policy?: LoopPolicy | undefined;
  /** The sources of a conversation, for the planner; and the function that keeps a plan of the planner there. */
  readonly conversationOf?: ((id: string) => ConversationSources) | undefined;
  readonly keepDraft?: ((conversation: string, document: unknown, key: string) => Promise<void>) | undefined;
  /** How what a run leaves at its end is kept in its conversation. */
  readonly keepEnd?: ((conversation: string, end: ConversationRun, key: string) => Promise<void>) | undefined;
  /** The most that any run may spend; a run's own budget can only be tighter. Default: no bound. */
  readonly budget?: Budget | undefined;
  /** How a goal is run whose starter does not say it. Default `plan-first`. */
  readonly mode?: RunMode | undefined;
  /** How long one history of a run may get; for tests, which let a run go on in a new one after a few nodes. */
  readonly historyBudget?: HistoryBudget | undefined;
  /** How long parts go on; for tests, which have no minute. */
  readonly partTimes?: ActivityDependencies['partTimes'] | undefined;
}

/**
 * The waits that decide how fast a run goes on after a crash: a workflow task waits this long for a dead worker, an
 * attempt is given up after 3 s of silence (`heartbeatMs` of its capability).
 * @bound {ms} how long a workflow task waits for a worker that died
 * @beyond another worker takes it
 */
const STICKY = '1 second';

/** Cancellation reaches an activity with its heartbeat, so heartbeats must not be held back long. */
const HEARTBEAT_THROTTLE = '1 second';

/** The time that an attempt in flight gets to end when the worker is asked to stop. */
const GRACE = '10 seconds';

/**
 * A capability that ignores its signal must not keep the process.
 * @bound {ms} how long a worker waits for what ignores that
 * @beyond it ends all the same
 */
const FORCE = '30 seconds';

/**
 * About 0.5 MB each for a plan of 30 nodes, 1.1 MB for one of 1,000 whose nodes have ended (`npx tsx bench/cached.ts`).
 * @bound runs that a worker keeps in memory
 * @beyond the one used longest ago is replayed when it is next needed
 */
const CACHED_RUNS = 500;

const CONCURRENT_NODES = 100;

/**
 * Lets a worker that has other work carry out runs too. Its file of workflows says
 * `export * from 'planwright/workflows'`; activities, converters and bounds come with the plugin. The worker's own
 * settings stay as they are: only its payload and failure converters must be ours (payload codecs may be any), and none
 * of its activities may have the name of one of ours. Give it to `bundleWorkflowCode` as well where the bundle is made
 * beforehand.
 * @throws TypeError when a rule names a capability that is not there, a key is none, or there are agents and no models;
 * EncryptionError `invalid-keys`; from `Worker.create` when the worker has no connection, converters of its own, no workflow of
 * ours or an activity of that name, and a StoreError when the store does not keep what it must, or is away
 * @example
 * const worker = await Worker.create({
 *   connection,
 *   taskQueue: 'orders',
 *   workflowsPath: fileURLToPath(import.meta.resolve('./workflows.ts')),
 *   activities,
 *   plugins: [planwrightPlugin({ registry: createRegistry([search]), store: createFileStore('results') })],
 * });
 */
export function planwrightPlugin(options: PluginOptions): WorkerPlugin & BundlerPlugin {
  const given = dependencies(options);
  const keyring = options.encryption && openKeyring(options.encryption);
  const ours = keyring === undefined ? DATA_CONVERTER : SEALING_CONVERTER;
  return {
    name: 'planwright',
    async configureWorker(worker) {
      const { connection, namespace = DEFAULT_NAMESPACE } = worker;
      if (connection === undefined) {
        throw new TypeError(
          'planwrightPlugin: give the worker its connection, such as await NativeConnection.connect()',
        );
      }
      const unversioned = worker.workerDeploymentOptions?.useWorkerVersioning === false;
      if (unversioned) throw new TypeError(UNVERSIONED);
      await options.store.probe?.();
      const namespaceId = await idOfNamespace(connection, namespace);
      const atOnce = worker.maxConcurrentActivityTaskExecutions ?? CONCURRENT_NODES;
      // A search attribute is never encrypted, and whom a run waits for may stand in its plan.
      const inbox = keyring === undefined && (await hasInbox(connection, namespace));
      const meter = Runtime.instance().metricMeter.withTags({ namespace, taskQueue: worker.taskQueue });
      const activities = createActivities({ ...given, namespaceId, atOnce, meter, inbox });
      const made = withWorkflows(worker, keyring);
      return {
        stickyQueueScheduleToStartTimeout: STICKY,
        maxHeartbeatThrottleInterval: HEARTBEAT_THROTTLE,
        shutdownGraceTime: GRACE,
        shutdownForceTime: FORCE,
        maxCachedWorkflows: CACHED_RUNS,
        maxConcurrentActivityTaskExecutions: CONCURRENT_NODES,
        ...made,
        ...buildIdOf(worker, made.workflowBundle),
        identity: workerIdentity(options.registry, worker.identity, options),
        activities: besides(worker.activities, activities),
      };
    },
    configureReplayWorker: (worker) => withWorkflows(worker, keyring),
    configureBundler: (bundling) =>
      withOwnWorkflows({
        ...bundling,
        ...converters(bundling, 'bundleWorkflowCode', ours),
        workflowInterceptorModules: [
          ...(bundling.workflowInterceptorModules ?? []),
          ...WORKFLOW_SOURCES.workflowInterceptorModules,
        ],
        preloadModules: [...(bundling.preloadModules ?? []), ...SHARED_ROOMS],
      }),
  };
}

function besides(theirs: object = {}, ours: object): object {
  const [name] = Object.keys(ours).filter((each) => each in theirs);
  if (name === undefined) return { ...theirs, ...ours };
  throw new TypeError(
    `planwrightPlugin: the worker has an activity ${name}, as Planwright has; give yours another name`,
  );
}

function dependencies(options: PluginOptions): ActivityDependencies {
  const { registry, store, onNode, identity, rules, models, policy, conversationOf, keepDraft, keepEnd } = options;
  const { budget: spending, historyBudget: budget, partTimes, mode, tracing } = options;
  const [wrong] = spending === undefined ? [] : budgetProblems(spending, 'budget');
  if (wrong !== undefined) throw new TypeError(wrong);
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
    ...known({ onNode, tracing, budget, partTimes, spending, mode, models, conversationOf, keepDraft, keepEnd }),
    ...known({ loopPolicy: policy, policy: rules && { rules }, keys: identity && publicKeysOf(identity) }),
  };
}

/**
 * Why a worker of this project cannot start: it has agents, and nothing that they could decide with.
 * @returns undefined where there is none, or a sentence that says what to do
 * @example modelProblem(createRegistry([search]), undefined); // undefined
 */
export function modelProblem(
  { agents }: Pick<CapabilityRegistry, 'agents'>,
  models: ProjectModels | undefined,
): string | undefined {
  if (models !== undefined || agents.length === 0) return undefined;
  const names = agents.length === 1 ? `the agent ${agents[0]} has` : `the agents ${agents.join(', ')} have`;
  return (
    `${names} no model to decide with; set "model" in the configuration, as { name: 'your-model' } or with a baseURL ` +
    '(docs/configuration.md), or take the agents out'
  );
}
