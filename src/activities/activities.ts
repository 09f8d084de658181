/** What the activities of a worker depend on. */

import type { CapabilityRegistry } from '../capabilities/builtin/index.ts';
import type { ApprovalRule, Budget, HistoryBudget, Owner, PublicKeys, RunMode } from '../protocol/index.ts';
import type { ConversationSources } from '../planner/index.ts';
import type { LoopPolicy } from '../capabilities/index.ts';
import type { Store } from '../store/index.ts';
import type { KeepEnd } from './earlier-results.ts';
import type { AskRun, SignalRun } from './gate.ts';
import type { Meter, Tracing } from './meters.ts';
import type { PartTimes } from './part/part.ts';
import type { ProjectModels } from './models.ts';
import type { ResourceLocks } from './resource-locks.ts';
import type { ServerStateOf } from './predecessor.ts';
import type { RootOf } from './begin-effect.ts';

export interface ActivityDependencies {
  readonly registry: CapabilityRegistry;
  readonly store: Store;
  /** The server's id of the namespace, since namespaces of two servers may have the same name. Default: unknown. */
  readonly namespaceId?: string;
  /** Called before and after every attempt at a node. */
  readonly onNode?: (event: NodeEvent) => void;
  /** Counts attempts, deferrals and model calls, with the labels namespace and task queue. Default: no metrics. */
  readonly meter?: Meter;
  /** Receives the spans. Default: no tracing. */
  readonly tracing?: Tracing;
  /** The approval rules that the project adds to those of every run. */
  readonly policy?: { readonly rules?: readonly ApprovalRule[] };
  /** The public keys of people who may send messages; absent if the project has none. */
  readonly keys?: PublicKeys;
  /** Stores the receipt of a run, once. Default: there are none. */
  readonly receipts?: (run: Owner & { readonly runId: string }) => Promise<void>;
  /** Whether the search attribute for inboxes is registered. Default false. */
  readonly inbox?: boolean;
  /** Asks a run whether an effect may begin. Default: by a query. */
  readonly askRun?: AskRun;
  /** Says whether a run is open, before another run reuses its results. Default: asks the server. */
  readonly standingOf?: ServerStateOf;
  /** Finds the topmost run that an agent's run works for. Default: asks the server. */
  readonly rootOf?: RootOf;
  /** Reports ended nodes of a part to the run. Default: by a signal. */
  readonly tellRun?: SignalRun;
  /** Maximum number of nodes of parts that execute at the same time in this process. Default 100. */
  readonly atOnce?: number;
  readonly partTimes?: PartTimes;
  /** Lets one run at a time write to a resource. Default: a lock on the server. */
  readonly locks?: ResourceLocks;
  readonly models?: ProjectModels;
  /** The policy for the loops of goals. Default: the model decides. */
  readonly loopPolicy?: LoopPolicy;
  /** Finds the history and results of a conversation, for the planner. */
  readonly conversationOf?: (id: string) => ConversationSources;
  /** Saves a plan of the planner as a draft in its conversation. */
  readonly keepDraft?: (conversation: string, document: unknown, key: string) => Promise<void>;
  /** Saves the end of a run in its conversation. */
  readonly keepEnd?: KeepEnd;
  readonly spending?: Budget;
  /** The mode of a goal if its starter chose none. */
  readonly mode?: RunMode;
  /** Limits for the size of one workflow history. Only tests change the default. */
  readonly budget?: HistoryBudget;
}

/** An event for listeners that count executions: one at the start of each attempt at a node, one at its end. */
export interface NodeEvent {
  /** `asked`: the attempt ended with a question to a person. `held`: the effect was not allowed to begin. */
  readonly what: 'started' | 'succeeded' | 'asked' | 'held' | 'failed';
  readonly workflowId: string;
  readonly nodeId: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
}
