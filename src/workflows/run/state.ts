/**
 * The state of a run as plain JSON. The next history needs only this and the open plan's shape. What follows from the
 * two, such as which nodes may start, is computed and not stored.
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

/** The version of the state's format, raised by the first change after a release. A worker also reads earlier ones. */
export const STATE_VERSION = 1;

export interface CarriedState {
  readonly state: Omit<RunState, 'approval'> & { readonly approval: Omit<Approval, 'subject'> };
  readonly nodes?: Nodes;
  /** The pending tasks. Their ids are unique in one history. The next history gets only tasks that have not begun. */
  readonly tasks: Record<number, PendingTask>;
  readonly lastTaskId: number;
}

/** What is in the store for the next histories, as references of pages. */
export interface Stored {
  /** The oldest entries of the trace. */
  readonly trace: readonly StoredEntries[];
  readonly planShape?: readonly string[];
}

/** Everything that a run records about the nodes of its plan, by the node's index. */
export interface Nodes {
  readonly status: NodeStatus[];
  readonly handles: Record<number, ResultHandle>;
  readonly failures: Record<number, NodeFailure>;
  /** For a skipped node, the node whose failure caused that. */
  readonly causes: Record<number, number>;
  /** Nodes that ended without a result and wait for a person. Their dependents wait too. */
  readonly unsettled: Record<number, Wait>;
  readonly retries: Record<number, number>;
  /** The signed messages that repeated the node. */
  readonly repeatedBy: Record<number, readonly string[]>;
  /** Nodes that were deferred before they began. */
  readonly backoffs: Record<number, Backoff>;
  /** By node: the number of attempts in its earlier activities. */
  readonly attempts: Record<number, number>;
  /** Nodes whose at-most-once effect may have begun in a lost attempt. Nobody has checked since. */
  readonly mayHaveBegun: Record<number, true>;
  /** Store references of what capabilities reported in earlier attempts. */
  readonly reports: Record<number, string>;
  /** Nodes that were stopped once because the history had too many events. */
  readonly stopped: Record<number, true>;
  /** Nodes that may not run in parts any more, for example since a worker was lost with them. */
  readonly individual: Record<number, true>;
  /** The notes on results. Only the first nodes with notes are recorded. */
  readonly notes: Record<number, readonly string[]>;
  /** When each node was last scheduled and when it ended, in milliseconds since 1970. */
  readonly scheduledAt: Record<number, number>;
  readonly endedAt: Record<number, number>;
}

export interface RunState {
  options: RunOptions;
  project: ProjectPolicy;
  /** What the run knows of its project: nothing, only its keys (a run may ask for them early), or everything. */
  projectFacts: 'nothing' | 'keys' | 'project';
  /** When the first history of the run began (ISO 8601). A token signed earlier was meant for another run. */
  readonly startedAt: string;
  /** The run id of the first execution, even after a reset. An agent's run has the one of its root run. */
  firstRunId: string;
  /** The plan, until it is compiled. */
  source?: PlanSource;
  /** The planning of a goal, or a replan of the open plan. */
  planning?: Planning;
  /** Only with `onFailure: replan`: the replans so far, and what the next one continues from. */
  replans?: Replans;
  loop?: Loop;
  /** The agents' runs that have not ended, by workflow id. */
  readonly children: Record<string, Child>;
  /** The next check of agents' runs whose ends the server does not report here, and the number of checks so far. */
  looks?: { readonly at: string; readonly times: number; readonly problem?: string };
  /** Only in an agent's run: the key by which the parent recognizes its signals. */
  parent?: { readonly key: string; out: Outgoing };
  /** The run that this agent works for is paused. */
  parentPaused: boolean;
  /** How often the planner was started: for the goal, and for each revision that somebody asked for. */
  plannings: number;
  /** What the run's model calls have used: planner, decisions and capabilities, but not agents. */
  usage: Usage;
  /** The budget; absent until the run knows that it has one. */
  account?: Account;
  /**
   * How the open plan was made. A `fallback`, made without a model, always needs approval. An `answer` is a chat's
   * plan.
   */
  made: 'plan' | 'fallback' | 'answer';
  /** The signed start, and the person who started the run once the signature is verified. */
  start?: { readonly signed: SignedStart; readonly by?: string };
  /**
   * The authors of the open plan or of a loop's next decision, without the starter. `editTokens` has a signed message
   * of each.
   */
  editors: readonly string[];
  editTokens: readonly string[];
  approval: Approval;
  paused: boolean;
  /** Temporal has cancelled the run. */
  cancelled: boolean;
  backoff?: Backoff;
  failure?: RunFailure;
  /** The state of the failure report: not requested, requested, or finished (with or without a text). */
  report: 'none' | 'asked' | 'done';
  /** When the last node ended (ISO 8601). The run still serves messages that came earlier. */
  endedAt?: string;
  /** Effects of earlier plans that have begun and are not at-most-once, by their effect keys. */
  readonly startedEffects: Record<string, StartedEffect>;
  /** At-most-once effects that have begun and whose nodes the open plan no longer has, by claim. */
  removedEffects?: Record<string, RemovedEffect>;
  /** The open questions by id, oldest first. */
  questions: Record<string, OpenQuestion>;
  /** Ids of questions past their deadline. Their defaults are stored as soon as an activity may begin. */
  readonly defaults: string[];
  readonly answered: Record<string, Answered>;
  /** Messages without a reply, oldest first. */
  inbox: Message[];
  messages: number;
  /**
   * Replies to messages that may be sent again, the latest last. Their keys are `update ID` or `signature SIGNATURE`.
   */
  readonly pastReplies: Record<string, PastReply>;
  /** When the run last read the public keys, or began (ISO 8601). */
  keysReadAt: string;
  /** The roles that are in the search attribute now. */
  publishedRoles: string;
  readonly trace: Trace;
}

export interface Replans extends Replanned {
  /** The number of replans so far, the revision of the last one, and its reason. */
  readonly made: number;
  readonly revision?: number;
  readonly why?: string;
  /** When the next replan began to wait for running tasks (ISO 8601). */
  readonly since?: string;
  readonly endReason?: string;
}

/** An effect that has begun and must not begin again unless an approval names the repetition. */
export interface StartedEffect {
  readonly what: string;
  /** The revision and the node, as text. */
  readonly where: string;
  /** Whether the effect has certainly happened. If false, it may have happened. */
  readonly hasCompleted: boolean;
}

/** An effect that an edit removed from the plan, as a plan of one node. */
export interface RemovedEffect {
  /** The node's id in its plan, and the revision of that plan. */
  readonly node: string;
  readonly revision: number;
  readonly planShape: PlanShape;
  readonly nodes: Nodes;
}

export interface Account {
  readonly ledger: Ledger;
  wait?: Wait;
  /** The budget has ended, so tasks that cost money fail. */
  exhausted?: true;
}

export interface Trace {
  /** The entries in the state, in order. The store has earlier ones. */
  entries: TraceEntry[];
  /** Pages of older entries in the result store, in order. */
  stored: readonly StoredEntries[];
  last: number;
  /** The number of entries in the trace, by kind. */
  readonly counts: Partial<Record<TraceKind, number>>;
  dropped: number;
}

/** The store reference of a page: a JSON list of entries. */
export interface StoredEntries {
  readonly ref: string;
  readonly last: number;
}

/** Signals to another run. The history may end only when the server has answered all of them, so that none is lost. */
export interface Outgoing {
  /** The last message to the other run, as JSON; absent if sending failed. */
  sent?: string;
  /** The server has neither confirmed nor rejected the last signal. */
  isUnderWay?: true;
  /** The number of consecutive failures, and when the next try is due (ISO 8601). */
  failures?: number;
  notBefore?: string;
  isCancelled?: true;
  /** The next signal asks for the receiver's state, since this run was reset and has lost what it knew. */
  asks?: true;
}

/** An agent's run that a node waits for. */
export interface Child {
  /** The id of the task that the agent's run executes. */
  readonly task: number;
  readonly key: string;
  /** The run id of the agent's first execution. */
  first?: string;
  waitingFor: number;
  /** What the agent's run waits for, other than people. */
  waits?: string;
  /** The agent's open items, as far as they fit into its report. */
  items?: readonly OpenItem[];
  /** What the agent has spent; final if `isDone`. */
  spent?: Sums;
  isDone?: true;
  /** The server has started the agent's run, so it accepts queries and signals. */
  isStarted: boolean;
  out: Outgoing;
}

/** Why a task that has not begun waits, and until when. Times are ISO 8601. */
export interface Backoff {
  readonly cause: DeferralCause;
  /** The reason, for people. */
  readonly reason: string;
  /** When the wait for this cause began. */
  readonly since: string;
  /** No try before this time. Empty if a try may follow at once. */
  readonly until: string;
  readonly attempt: number;
  /** The time at which a person is asked, unless the wait ends earlier. */
  readonly askAt?: string;
  /** Once a person is asked, the deadline for the answer. */
  readonly deadline?: string;
}

export interface OpenQuestion extends Wait {
  readonly id: string;
  /** The index of the node that asks; -1 for a question of the planner. */
  node: number;
  readonly question: Question;
  /** The deadline has passed, and the default is being stored. */
  closing: boolean;
}

export interface Answered {
  readonly by: string;
  readonly at: string;
  /** The reference of the answer, and the node that got it. Absent if the question ended without an answer. */
  readonly ref?: string;
  readonly node?: number;
  /** The deadline passed before anybody answered. */
  readonly expired?: true;
}

export interface PastReply {
  readonly reply: Reply;
  /** For a signed message: when its token expires, in seconds since 1970. */
  readonly until?: number;
  readonly bytes: number;
}

export type PendingTask = (
  | { readonly kind: 'draft' }
  /** The next stage of the planning. */
  | { readonly kind: 'plan' }
  /** Asks for a text about why the run failed. */
  | { readonly kind: 'report' }
  /** Decides the next step of a loop. */
  | { readonly kind: 'decide' }
  /** Checks whether agents' runs have ended. */
  | { readonly kind: 'look' }
  /** `part` names the activity that executes this node together with others. */
  | { readonly kind: 'node'; node: number; readonly part?: string }
  /** A node that the plan no longer has. Its end is recorded, but its result is not used. */
  | {
      readonly kind: 'unused';
      readonly id: string;
      readonly effect: Effect;
      readonly part?: string;
      /** For an at-most-once effect: its key in `removedEffects`. */
      readonly claim?: string;
    }
  /** `message` is the id of a message in the inbox. */
  | { readonly kind: 'message'; readonly message: number; readonly request: Request }
  | { readonly kind: 'default'; readonly request: Extract<Request, { do: 'store' }> }
) & {
  /** Who asked the task to stop. */
  stopping?: string;
  /** The run asked the task to stop so that it can continue as new. */
  isDrained?: true;
  /** Why the task was last deferred. For a node, the backoff is in `Nodes`. */
  backoff?: Backoff;
  isDeferred?: true;
  /** The number of attempts in earlier activities of the task. For a node, this number is in `Nodes`. */
  attempts?: number;
};

export type Request =
  /** An edit, whose plan must be compiled. */
  | { readonly do: 'compile'; readonly decision: Signed }
  /** A request for a better plan. The planner goes through its stages. */
  | { readonly do: 'revise'; readonly decision: Signed; readonly planning: Planning }
  | {
      readonly do: 'store';
      /** Absent for a question of the planner. */
      readonly node?: string;
      /** Reference of the node's revision, if that is not the open one. */
      readonly revision?: string;
      readonly value: JsonValue;
      readonly schema?: Readonly<Record<string, JsonValue>>;
      readonly as: StoredAs;
    }
  /** Read the keys again: a token names an unknown key, which the project may have added. */
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
  /** Counts from 1 in a run, across its histories. */
  readonly id: number;
  /** What the message waits for: the next turn, a plan, room for another activity, or its own activity. */
  waitsFor: 'turn' | 'plan' | 'room' | 'activity';
  /** The size of the message as JSON, in bytes. Set if the message waits beyond its first turn. */
  bytes?: number;
  /** Set once the signature is verified. `until` is when the token expires, in seconds since 1970. */
  signed?: { readonly signature: string; readonly until: number };
}
