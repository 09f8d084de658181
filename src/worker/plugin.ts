/** Planwright as a plugin of Temporal's SDK, for a worker that also has other workflows and activities. */

import { Runtime, type BundlerPlugin, type WorkerPlugin, type NativeConnection } from '@temporalio/worker';
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
  WAITS_FOR_ATTRIBUTE,
} from '../protocol/index.ts';
import { openKeyring, type EncryptionKeys } from '../protocol/encryption/index.ts';
import { publicKeysOf, type IdentityConfig } from '../protocol/identity/index.ts';
import type { ConversationSources } from '../planner/index.ts';
import type { LoopPolicy } from '../capabilities/index.ts';
import type { Store } from '../store/index.ts';
import { buildIdOf, DATA_CONVERTER, SEALING_CONVERTER, SHARED_ROOMS, WORKFLOW_SOURCES } from './workflow-sources.ts';
import { workerIdentity } from './fingerprint.ts';
import { withOwnWorkflows, UNVERSIONED, withWorkflows, converters } from './own-workflows.ts';
import { messageOf } from '../plan/text/index.ts';

/** What the runs of a project need from their worker. */
export interface PluginOptions {
  readonly registry: CapabilityRegistry;
  readonly store: Store;
  /** Called before and after every attempt at a node. */
  readonly onNode?: ((event: NodeEvent) => void) | undefined;
  /** Receives the spans of planning, nodes and model calls (`openTracing`). Default: no tracing. */
  readonly tracing?: Tracing | undefined;
  /** The public keys of people. With keys, every message to a run must be signed. Default: no signatures are needed. */
  readonly identity?: IdentityConfig | undefined;
  /** How the receipt of a run is signed and stored (`openReceipts`). Default: no receipts. */
  readonly receipts?: ActivityDependencies['receipts'] | undefined;
  /**
   * The keys that encrypt everything on its way to the server; the worker's own codecs come first. `encryptedStore`
   * encrypts the store. Default: nothing is encrypted.
   */
  readonly encryption?: EncryptionKeys | undefined;
  /** Approval rules for every run of this project, in addition to the rules of each run. */
  readonly rules?: readonly ApprovalRule[] | undefined;
  /** The models for planning and agents (`openModels`). Default: none, so runs start from plans without agents. */
  readonly models?: ProjectModels | undefined;
  /** The policy for the loops of goals (`definePolicy`). Default: the model decides each step. */
  readonly policy?: LoopPolicy | undefined;
  /** Finds a conversation's history and results for the planner; `keepDraft` saves the planner's plans there. */
  readonly conversationOf?: ((id: string) => ConversationSources) | undefined;
  readonly keepDraft?: ((conversation: string, document: unknown, key: string) => Promise<void>) | undefined;
  /** Saves the results of an ended run in its conversation. */
  readonly keepEnd?: ((conversation: string, end: ConversationRun, key: string) => Promise<void>) | undefined;
  /** The budget of every run. A run's own budget can only be lower. Default: no limit. */
  readonly budget?: Budget | undefined;
  /** The mode of a goal if its starter chose none. Default `plan-first`. */
  readonly mode?: RunMode | undefined;
  /** Limits for the size of one workflow history. Only tests change them. */
  readonly historyBudget?: HistoryBudget | undefined;
  /** Time limits of parts. Only tests change them. */
  readonly partTimes?: ActivityDependencies['partTimes'] | undefined;
}

/** Determines how fast a run continues after its worker has died. */
const STICKY = '1 second';

/** A cancellation reaches an activity only with a heartbeat, so heartbeats must not be delayed long. */
const HEARTBEAT_THROTTLE = '1 second';

/** Time for running attempts to end after the worker was asked to stop. */
const GRACE = '10 seconds';

/** A capability that ignores its abort signal must not keep the process alive. */
const FORCE = '30 seconds';

/** A run takes about 0.5 MB for a plan of 30 nodes, and 1.1 MB for 1,000 ended nodes (`npx tsx bench/cached.ts`). */
const CACHED_RUNS = 500;

const CONCURRENT_NODES = 100;

/**
 * Makes a plugin that lets an existing worker execute runs too. The worker's file of workflows must contain `export *
 * from 'planwright/workflows'`; activities, converters and limits come with the plugin. The worker's settings stay as
 * they are, but it must not have its own payload or failure converter (payload codecs are allowed), nor an activity
 * with the name of one of Planwright's. If the bundle is made in advance, give the plugin to `bundleWorkflowCode` too.
 * @throws TypeError if a rule names an unknown capability, a key is invalid, or there are agents and no models;
 * EncryptionError `invalid-keys`. `Worker.create` throws if the worker has no connection, its own converters, no
 * workflows of Planwright or a conflicting activity; StoreError if the store is unavailable or does not work as
 * promised
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
      // Encrypting workers do not set the search attribute, which is never encrypted: its roles may come from a plan.
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
  const { budget: spending, historyBudget: budget, partTimes, mode, tracing, receipts } = options;
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
    ...known({ loopPolicy: policy, policy: rules && { rules }, keys: identity && publicKeysOf(identity), receipts }),
  };
}

/**
 * Why a worker of this project cannot start: it has agents, but no models for them.
 * @returns a sentence that says what to do, or undefined
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

/** INDEXED_VALUE_TYPE_KEYWORD_LIST of the Temporal API. */
const KEYWORD_LIST = 7;
const ANSWER_MS = 5000;

/** Whether the search attribute is registered. If unknown, false: setting an unregistered one would block every run. */
export async function hasInbox(connection: NativeConnection, namespace: string): Promise<boolean> {
  try {
    const { customAttributes } = await connection.withDeadline(Date.now() + ANSWER_MS, () =>
      connection.operatorService.listSearchAttributes({ namespace }),
    );
    return Number(customAttributes[WAITS_FOR_ATTRIBUTE]) === KEYWORD_LIST;
  } catch {
    return false;
  }
}

/**
 * The server's id of a namespace: two servers may share a name.
 * @throws Error if the server does not answer
 */
async function idOfNamespace(connection: NativeConnection, namespace: string): Promise<string> {
  const { namespaceInfo } = await connection
    .withDeadline(Date.now() + ANSWER_MS, () => connection.workflowService.describeNamespace({ namespace }))
    .catch((cause: unknown) => {
      throw new Error(`the server does not say what namespace ${namespace} is (${messageOf(cause)})`, { cause });
    });
  return namespaceInfo?.id ?? '';
}
