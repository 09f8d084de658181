/** The dependencies of a worker's activities. */

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
  /** The id that the server gave to the namespace: namespaces of two servers may share a name. Default: unknown. */
  readonly namespaceId?: string;
  readonly onNode?: (event: NodeEvent) => void;
  /** Counts attempts, deferrals and model calls, with the labels namespace and task queue. Default: no metrics. */
  readonly meter?: Meter;
  /** Receives the spans. Default: no tracing. */
  readonly tracing?: Tracing;
  /** Approval rules of the project. They apply to every run in addition to its own. */
  readonly policy?: { readonly rules?: readonly ApprovalRule[] };
  readonly keys?: PublicKeys;
  /** Stores the receipt of a run, once. Default: no receipts. */
  readonly receipts?: (run: Owner & { readonly runId: string }) => Promise<void>;
  readonly inbox?: boolean;
  /** Asks a run whether an effect may begin. Default: queries the run. */
  readonly askRun?: AskRun;
  /** Finds the state of a run on the server, before another run reuses its results. Default: asks the server. */
  readonly standingOf?: ServerStateOf;
  /** Finds the topmost run above an agent's run. Default: asks the server. */
  readonly rootOf?: RootOf;
  /** Reports the ended nodes of a part to the run. Default: signals the run. */
  readonly tellRun?: SignalRun;
  /** Maximum number of nodes in parts that this process executes at the same time. Default 100. */
  readonly atOnce?: number;
  readonly partTimes?: PartTimes;
  /** A lock for a resource, to which only one run at a time may write. Default: a lock on the server. */
  readonly locks?: ResourceLocks;
  readonly models?: ProjectModels;
  readonly loopPolicy?: LoopPolicy;
  readonly conversationOf?: (id: string) => ConversationSources;
  readonly keepDraft?: (conversation: string, document: unknown, key: string) => Promise<void>;
  readonly keepEnd?: KeepEnd;
  readonly spending?: Budget;
  readonly mode?: RunMode;
  /** Limits for the size of a workflow history. Only tests change the default. */
  readonly budget?: HistoryBudget;
}

export interface NodeEvent {
  /** `asked`: the attempt ended with a question to a person. `held`: the run did not let the effect begin. */
  readonly what: 'started' | 'succeeded' | 'asked' | 'held' | 'failed';
  readonly workflowId: string;
  readonly nodeId: string;
  readonly attempt: number;
  readonly idempotencyKey: string;
}
