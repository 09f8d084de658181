/**
 * The state of a run as plain JSON. The next history needs only this and the shape of the open plan. Computed values,
 * such as which nodes may start, are not stored.
 */

import type {
  NodeFailure,
  NodeStatus,
  Planning,
  PlanSource,
  ProjectPolicy,
  Replanned,
  ResultHandle,
  RunFailure,
  RunOptions,
  PlanShape,
  SignedStart,
  TraceEntry,
  TraceKind,
  Usage,
  Answer,
  Control,
  DeferralCause,
  MessageArrival,
  OpenItem,
  Question,
  Reply,
} from '../../protocol/index.ts';
import type { Wait, Approval, Signed } from '../approval/state.ts';
import type { Loop } from '../loop/loop.ts';
import type { Ledger, Sums } from './spending/ledger.ts';
import type { Effect, JsonValue } from '../../plan/index.ts';

/**
 * The version of the state's format, raised by the first change after a release. Workers also read earlier versions.
 */
export const STATE_VERSION = 1;

export interface CarriedState {
  readonly state: Omit<RunState, 'approval'> & { readonly approval: Omit<Approval, 'subject'> };
  readonly nodes?: Nodes;
  /** The pending tasks by id; ids are unique in one history. The next history gets only tasks that have not begun. */
  readonly tasks: Record<number, PendingTask>;
  readonly lastTaskId: number;
}

export interface Stored {
  readonly trace: readonly StoredEntries[];
  readonly planShape?: readonly string[];
}

export interface Nodes {
  readonly status: NodeStatus[];
  readonly handles: Record<number, ResultHandle>;
  readonly failures: Record<number, NodeFailure>;
  readonly causes: Record<number, number>;
  /** Nodes that ended without a result and wait for a person. Their dependents wait too. */
  readonly unsettled: Record<number, Wait>;
  readonly retries: Record<number, number>;
  readonly repeatedBy: Record<number, readonly string[]>;
  readonly backoffs: Record<number, Backoff>;
  /** By node: attempts in its earlier activities. */
  readonly attempts: Record<number, number>;
  /** Nodes whose at-most-once effect may have begun in a lost attempt, until somebody checks that. */
  readonly mayHaveBegun: Record<number, true>;
  readonly reports: Record<number, string>;
  readonly stopped: Record<number, true>;
  /** Nodes that may not run in parts any more, for example because a part with them lost its worker. */
  readonly individual: Record<number, true>;
  /** Notes of results, for the first nodes that have notes. */
  readonly notes: Record<number, readonly string[]>;
  /** When each node was last scheduled and ended, in milliseconds since 1970. */
  readonly scheduledAt: Record<number, number>;
  readonly endedAt: Record<number, number>;
}

export interface RunState {
  options: RunOptions;
  project: ProjectPolicy;
  /** What the run knows of its project: nothing, only its keys (messages may need them early), or everything. */
  projectFacts: 'nothing' | 'keys' | 'project';
  /** When the first history of the run began (ISO 8601). A token signed earlier belongs to another run. */
  readonly startedAt: string;
  /** The run id of the first execution, even after a reset. In an agent's run: that of the root run. */
  firstRunId: string;
  source?: PlanSource;
  planning?: Planning;
  /** Only with `onFailure: replan`: the replans so far, and where the next one continues. */
  replans?: Replans;
  loop?: Loop;
  readonly children: Record<string, Child>;
  /** The next check of agents' runs whose ends the server does not report here, and how many checks there were. */
  looks?: { readonly at: string; readonly times: number; readonly problem?: string };
  /** Only in an agent's run: the key in its signals, which proves to the parent that they come from this run. */
  parent?: { readonly key: string; out: Outgoing };
  /** True if the run that this agent works for is paused. */
  parentPaused: boolean;
  plannings: number;
  /** The usage of model calls by planner, decisions and capabilities, without agents. */
  usage: Usage;
  account?: Account;
  /** How the open plan was made: `fallback` without a model, which always needs approval; `answer` in a chat. */
  made: 'plan' | 'fallback' | 'answer';
  /** The signed start. `by` is set when the signature is verified: the person who started the run. */
  start?: { readonly signed: SignedStart; readonly by?: string };
  /** The authors of the open plan or a loop's next decision, without the starter. `editTokens` has their messages. */
  editors: readonly string[];
  editTokens: readonly string[];
  /** The first untrusted result that the run had before the open plan, as text. A model may have read it. */
  untrusted?: string;
  approval: Approval;
  paused: boolean;
  cancelled: boolean;
  backoff?: Backoff;
  failure?: RunFailure;
  report: 'none' | 'asked' | 'done';
  /** When the last node ended (ISO 8601). Messages that came before are still served. */
  endedAt?: string;
  /** Effects of earlier plans that have begun, by effect key. `removedEffects` has the at-most-once effects. */
  readonly startedEffects: Record<string, StartedEffect>;
  /**
   * The summaries of repeatable effects that have begun and have no result, by place. Different effects may have one
   * effect key, so `startedEffects` does not have all of them.
   */
  unknownEffects?: Record<string, string>;
  removedEffects?: Record<string, RemovedEffect>;
  questions: Record<string, OpenQuestion>;
  /** Ids of overdue questions, whose defaults are stored as soon as an activity may start. */
  readonly defaults: string[];
  readonly answered: Record<string, Answered>;
  /** Messages without a reply, oldest first. */
  inbox: Message[];
  messages: number;
  /** The run's replies to messages that may be sent again, in order, by `update ID` or `signature SIGNATURE`. */
  readonly pastReplies: Record<string, PastReply>;
  /** When the run last read the public keys, or when it began (ISO 8601). */
  keysReadAt: string;
  publishedRoles: string;
  readonly trace: Trace;
}

export interface Replans extends Replanned {
  /** The number of replans so far. */
  readonly made: number;
  readonly revision?: number;
  readonly why?: string;
  readonly since?: string;
  readonly endReason?: string;
}

/** An effect that has begun. It begins again only if an approval names the repetition. */
export interface StartedEffect {
  readonly what: string;
  readonly where: string;
  /** True if the effect has happened, false if it may have happened. */
  readonly hasCompleted: boolean;
}

/** An at-most-once effect that an edit removed, as a plan of one node. */
export interface RemovedEffect {
  /** The node's id in its plan. */
  readonly node: string;
  readonly revision: number;
  readonly planShape: PlanShape;
  readonly nodes: Nodes;
}

export interface Account {
  readonly ledger: Ledger;
  wait?: Wait;
  exhausted?: true;
}

export interface Trace {
  /** The newest entries, in order. The store has the earlier ones. */
  entries: TraceEntry[];
  stored: readonly StoredEntries[];
  last: number;
  readonly counts: Partial<Record<TraceKind, number>>;
  dropped: number;
}

export interface StoredEntries {
  readonly ref: string;
  readonly last: number;
}

/** Signals to another run. The history ends only after the server has answered all of them. */
export interface Outgoing {
  sent?: string;
  /** Set until the server has confirmed or rejected the last signal. */
  isUnderWay?: true;
  /** The number of consecutive failures, and when the next try is due (ISO 8601). */
  failures?: number;
  notBefore?: string;
  isCancelled?: true;
  /** True if the next signal must ask for the receiver's state, which a reset of this run has lost. */
  asks?: true;
}

export interface Child {
  readonly task: number;
  readonly key: string;
  first?: string;
  waitingFor: number;
  /** What the agent's run waits for, other than people. */
  waits?: string;
  items?: readonly OpenItem[];
  spent?: Sums;
  isDone?: true;
  isStarted: boolean;
  out: Outgoing;
}

/** Why a task that has not begun waits, and until when. Times are ISO 8601. */
export interface Backoff {
  readonly cause: DeferralCause;
  readonly reason: string;
  /** When the wait for this cause began. */
  readonly since: string;
  /** No try starts before this time. Empty if a try may start at once. */
  readonly until: string;
  readonly attempt: number;
  readonly askAt?: string;
  readonly deadline?: string;
}

export interface OpenQuestion extends Wait {
  readonly id: string;
  /** The index of the node that asks; -1 if the planner asks. */
  node: number;
  readonly question: Question;
  closing: boolean;
}

export interface Answered {
  readonly by: string;
  readonly at: string;
  /** The stored answer, and the node that asked; absent if the question ended without an answer. */
  readonly ref?: string;
  readonly node?: number;
  readonly expired?: true;
}

export interface PastReply {
  readonly reply: Reply;
  /** When the token of a signed message expires, in seconds since 1970. */
  readonly until?: number;
  readonly bytes: number;
}

export type PendingTask = (
  | { readonly kind: 'draft' }
  | { readonly kind: 'plan' }
  /** Requests a text that says why the run failed. */
  | { readonly kind: 'report' }
  | { readonly kind: 'decide' }
  | { readonly kind: 'look' }
  /** Executes a node. `part` names the activity that executes it together with others. */
  | { readonly kind: 'node'; node: number; readonly part?: string }
  /** The task of a node that an edit removed. The run records how it ends but does not use its result. */
  | {
      readonly kind: 'unused';
      readonly id: string;
      readonly effect: Effect;
      readonly part?: string;
      /** Its key in `removedEffects` or `unknownEffects`. */
      readonly claim?: string;
    }
  | { readonly kind: 'message'; readonly message: number; readonly request: Request }
  | { readonly kind: 'default'; readonly request: Extract<Request, { do: 'store' }> }
) & {
  stopping?: string;
  /** True if the task was asked to stop so that the run can continue as new. */
  isDrained?: true;
  /** Why the task was last deferred. For nodes, `Nodes` has the backoff. */
  backoff?: Backoff;
  isDeferred?: true;
  attempts?: number;
};

export type Request =
  /** An edit, whose plan must be compiled. */
  | { readonly do: 'compile'; readonly decision: Signed }
  /** Requests a better plan, for which the planner runs all its stages. */
  | { readonly do: 'revise'; readonly decision: Signed; readonly planning: Planning }
  | {
      readonly do: 'store';
      /** Absent for a question of the planner. */
      readonly node?: string;
      readonly revision?: string;
      readonly value: JsonValue;
      readonly schema?: Readonly<Record<string, JsonValue>>;
      readonly as: StoredAs;
    }
  /** Reads the public keys again, because a token names an unknown key that the project may have added. */
  | { readonly do: 'keys' };

export type StoredAs =
  | { readonly what: 'answer'; readonly answer: Answer; readonly verified: boolean; readonly token?: string }
  | {
      readonly what: 'result';
      readonly control: Control;
      readonly verified: boolean;
      readonly personKey?: true;
      readonly token?: string;
    }
  | { readonly what: 'default'; readonly question: string };

export interface Message extends Pick<MessageArrival, 'name' | 'payload' | 'at' | 'update'> {
  readonly id: number;
  waitsFor: 'turn' | 'plan' | 'room' | 'activity';
  /** The message's size as JSON, in bytes; set only if the message waits beyond its first turn. */
  bytes?: number;
  /** Set when the signature is verified. `until`: when the token expires, in seconds since 1970. */
  signed?: { readonly signature: string; readonly until: number };
}
