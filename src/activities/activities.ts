/** The parts that the activities of a worker are made of. */

import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import type { ApprovalRule, Budget, HistoryBudget, PublicKeys, RunMode } from '../protocol/index.ts';
import type { ConversationSources } from '../planner/index.ts';
import type { LoopPolicy } from '../capabilities/index.ts';
import type { Store } from '../store/index.ts';
import type { KeepEnd } from './earlier-results.ts';
import type { AskRun, TellRun } from './gate.ts';
import type { Meter, Tracing } from './meters.ts';
import type { PartTimes } from './part/part.ts';
import type { ProjectModels } from './models.ts';
import type { ResourceLocks } from './resource-locks.ts';
import type { ServerStateOf } from './predecessor.ts';
import type { RootOf } from './begin-effect.ts';

export interface ActivityDependencies {
  readonly registry: CapabilityRegistry;
  readonly store: Store;
  /** The server's id of the namespace, since another server may have a namespace of the same name. Default: unknown. */
  readonly namespaceId?: string;
  /** Called before and after every attempt at a node. */
  readonly onNode?: (event: NodeEvent) => void;
  /**
   * The meter of the worker, with its namespace and task queue. It counts attempts, deferrals and model calls. Default:
   * none.
   */
  readonly meter?: Meter;
  /** Where spans go. Default: nowhere. */
  readonly tracing?: Tracing;
  /** The rules that the project demands of every run of it. */
  readonly policy?: { readonly rules?: readonly ApprovalRule[] };
  /** The public keys of the people who may speak; absent when the project has none. */
  readonly keys?: PublicKeys;
  /** Whether the search attribute that inboxes look for is registered. Default false. */
  readonly inbox?: boolean;
  /** How a run is asked whether an effect may begin. Default: by a query. */
  readonly askRun?: AskRun;
  /** Whether a run is open, before another run reuses it. Default: asks the server. */
  readonly standingOf?: ServerStateOf;
  /** For which run another works, by the server. Default: it is asked. */
  readonly rootOf?: RootOf;
  /** Reports ended nodes of a part to its run. Default: by a signal. */
  readonly tellRun?: TellRun;
  /** Nodes of parts at work at once in this process. Default 100. */
  readonly atOnce?: number;
  /** Time limits of parts. Only tests change the default. */
  readonly partTimes?: PartTimes;
  /** Allows one writer at a time per resource, over all runs. Default: a lock on the server. */
  readonly locks?: ResourceLocks;
  /** The models that plan goals, decide for agents and answer capabilities. */
  readonly models?: ProjectModels;
  /** How the loops of goals decide. Default: the model does. */
  readonly loopPolicy?: LoopPolicy;
  /** The sources of a conversation, for the planner. */
  readonly conversationOf?: (id: string) => ConversationSources;
  /** Saves a plan of the planner as a draft of its conversation. */
  readonly keepDraft?: (conversation: string, document: unknown, key: string) => Promise<void>;
  /** Saves the end of a run in its conversation. */
  readonly keepEnd?: KeepEnd;
  /** The most that any run may spend. */
  readonly spending?: Budget;
  /** The mode of a goal whose starter chose none. */
  readonly mode?: RunMode;
  /** How long one history may get; only tests give another than the default. */
  readonly budget?: HistoryBudget;
}

/** An event for a listener that counts executions: one when an attempt at a node begins and one when it ends. */
export interface NodeEvent {
  /** `asked`: it ended with a question to a person. `held`: its effect was not allowed to begin. */
  readonly what: 'started' | 'succeeded' | 'asked' | 'held' | 'failed';
  readonly workflowId: string;
  readonly nodeId: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
}
