/**
 * The state of a run: plain JSON. The next history needs only this and the slice of the open plan. What follows from
 * the two, such as the nodes that may start, is computed and not stored.
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
  RunSlice,
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

/** Raised by the first change of the format after a release. A worker reads its own version and earlier ones. */
export const STATE_VERSION = 1;

export interface CarriedState {
  readonly state: Omit<RunState, 'approval'> & { readonly approval: Omit<Approval, 'subject'> };
  /** Absent without a plan. */
  readonly nodes?: Nodes;
  /** The work under way, by an id of this history. The next history gets only work that has not begun. */
  readonly tasks: Record<number, PendingTask>;
  readonly lastTaskId: number;
}

/** What the store has for the next histories: references of pages. */
export interface Stored {
  /** The oldest entries of the trace. */
  readonly trace: readonly StoredEntries[];
  readonly slice?: readonly string[];
}

/** Everything that a run knows of the nodes of its plan. */
export interface Nodes {
  readonly status: NodeStatus[];
  readonly handles: Record<number, ResultHandle>;
  readonly failures: Record<number, NodeFailure>;
  /** For a skipped node: the node whose failure caused it. */
  readonly causes: Record<number, number>;
  /** Nodes that ended without a result and wait for a person; their dependents wait too. */
  readonly unsettled: Record<number, Wait>;
  /** How often a person repeated a node. */
  readonly retries: Record<number, number>;
  /** The signed messages that repeated the node. */
  readonly repeatedBy: Record<number, readonly string[]>;
  /** Nodes that were deferred before they began. */
  readonly backoffs: Record<number, Backoff>;
  /** The attempts before a node was scheduled again, since a person repeated it. */
  readonly attempts: Record<number, number>;
  /** At-most-once effects that were lost with an attempt: nobody has looked at their claims since. */
  readonly mayHaveBegun: Record<number, true>;
  /** References of what their capabilities reported in earlier attempts. */
  readonly reports: Record<number, string>;
  /** Nodes that the run has stopped once because its history had too many events. */
  readonly stopped: Record<number, true>;
  /** Nodes that run in no part any more, since a worker was lost with them. */
  readonly individual: Record<number, true>;
  /** The notes on results, of the first nodes with notes. */
  readonly notes: Record<number, readonly string[]>;
  /** When each node was scheduled last and when it ended, in milliseconds since 1970. */
  readonly scheduledAt: Record<number, number>;
  readonly endedAt: Record<number, number>;
}

export interface RunState {
  options: RunOptions;
  project: ProjectPolicy;
  /**
   * What the run knows of its project: nothing, its keys (a run may ask for them early), or all. The first reply of an
   * activity that has the project brings it.
   */
  projectFacts: 'nothing' | 'keys' | 'project';
  /** When the first history of the run began, ISO 8601. A token signed earlier was meant for another run. */
  readonly startedAt: string;
  /**
   * The run id of the first execution, which stays after a hand-over and a reset; in an agent's run, that of its root.
   */
  chain: string;
  /** The plan to compile; absent once there is one. */
  source?: PlanSource;
  /** The planning of a goal, or a replan of the open plan. */
  planning?: Planning;
  /** With `onFailure: replan`: the replans so far, and the source of the next one. */
  replans?: Replans;
  /** The rounds of a run that decides one step at a time. */
  loop?: Loop;
  /** The agents at work, by the ids of their runs. */
  readonly children: Record<string, Child>;
  /** The next look at agents' runs whose end the server does not report to this history, and the number of looks. */
  looks?: { readonly at: string; readonly times: number; readonly problem?: string };
  /** Only in an agent's run: the key by which its parent knows it. */
  parent?: { readonly key: string; out: Outgoing };
  /** The run that this agent works for is paused. */
  parentPaused: boolean;
  /** How often the planner was started: for the goal, and for each requested revision. */
  plannings: number;
  /** What its models cost: the planner, the decisions, and the calls of capabilities; without its agents. */
  usage: Usage;
  /** Its budget, as soon as the run knows that it has one. */
  account?: Account;
  /**
   * How the open plan was made. No model makes a fallback, and it never runs without a person. An `answer` is the plan
   * of a chat by the route `direct`.
   */
  made: 'plan' | 'fallback' | 'answer';
  /** The signed start, and the person who started the run, once verified. */
  start?: { readonly signed: SignedStart; readonly by?: string };
  /**
   * The authors of the open plan, or of a loop's next decision, beside the starter: by an edit, a revision, an answer
   * or a reason for a rejection. With it go the signed messages that prove this to a worker, one of each person.
   */
  editors: readonly string[];
  editTokens: readonly string[];
  approval: Approval;
  /** An operator has paused the run, so no node starts. */
  paused: boolean;
  /** Temporal has cancelled the run. */
  cancelled: boolean;
  /** What the run as a whole waits for, and asks a person about in the end. */
  backoff?: Backoff;
  /** The failure that the run ends with. */
  failure?: RunFailure;
  /** The report of the failure: not requested, requested, or finished (with or without a text). */
  report: 'none' | 'asked' | 'done';
  /** When the last node ended (ISO 8601); the run still reads earlier messages. */
  endedAt?: string;
  /** Effects of earlier plans that have begun and are not at most once, by their effect keys. */
  readonly startedEffects: Record<string, StartedEffect>;
  /** At-most-once effects that have begun and whose nodes the open plan does not have, by their claims. */
  removedEffects?: Record<string, RemovedEffect>;
  /** The open questions by id, oldest first. */
  questions: Record<string, OpenQuestion>;
  /** Questions past their deadline, whose default is stored as soon as an activity may begin. */
  readonly defaults: string[];
  /** The outcome of each closed question. */
  readonly answered: Record<string, Answered>;
  /** Messages without a reply, in the order of arrival. */
  inbox: Message[];
  /** The number of messages so far. */
  messages: number;
  /**
   * The replies to messages that may be sent again, the latest last, under `update ID` and `signature SIGNATURE`. Each
   * message counts once.
   */
  readonly pastReplies: Record<string, PastReply>;
  /** When the run last read the public keys, or began (ISO 8601). */
  keysReadAt: string;
  /** The roles in the search attribute now. */
  publishedRoles: string;
  readonly trace: Trace;
}

/** The replans of a run after failed steps. */
export interface Replans extends Replanned {
  /** How many were opened, the revision of the last, and its reason. */
  readonly made: number;
  readonly revision?: number;
  readonly why?: string;
  /** Since when the next replan waits for work under way (ISO 8601). */
  readonly since?: string;
  /** Why there are no more replans. */
  readonly endReason?: string;
}

/** An effect that must not begin again without an approval that names it. */
export interface StartedEffect {
  readonly what: string;
  /** The revision and the node. */
  readonly where: string;
  /** It has certainly run; if absent or false, it may have. */
  readonly hasCompleted: boolean;
}

/** A removed effect, as a plan of one node. */
export interface RemovedEffect {
  /** Its id in its plan, whose digest is that of the slice, and the revision of that plan. */
  readonly node: string;
  readonly revision: number;
  readonly slice: RunSlice;
  readonly nodes: Nodes;
}

/** The budget of a run. Plain data. */
export interface Account {
  readonly ledger: Ledger;
  /** A person is asked about the end of the budget. */
  wait?: Wait;
  /** Nothing more is bought: work with a price fails. */
  exhausted?: true;
}

export interface Trace {
  /** The entries in the state, in order; the store has earlier ones. */
  entries: TraceEntry[];
  /** Older entries, in pages of the result store, in order. */
  stored: readonly StoredEntries[];
  /** The number of the latest entry. */
  last: number;
  /** How many entries of each kind that may be dropped are in the trace. */
  readonly counts: Partial<Record<TraceKind, number>>;
  dropped: number;
}

/** A page of entries: a JSON list, under its reference. */
export interface StoredEntries {
  readonly ref: string;
  /** The number of its last entry. */
  readonly last: number;
}

/**
 * The signals to another run. A history ends only after the server has confirmed or rejected all of them: a signal in
 * the task that ends a history would be lost.
 */
export interface Outgoing {
  /** The last message, as JSON; absent if it has failed. */
  sent?: string;
  /** The server has neither confirmed nor rejected it. */
  isUnderWay?: true;
  /** Consecutive failures, and when the next try is due (ISO 8601). */
  failures?: number;
  notBefore?: string;
  isCancelled?: true;
  /** Asks the receiver for its state, since this run was reset and has lost what it knew. */
  asks?: true;
}

/** An agent's run that a node waits for. */
export interface Child {
  /** The id of the work whose run it is. */
  readonly task: number;
  readonly key: string;
  /** The run id of its first execution. */
  first?: string;
  waitingFor: number;
  /** What it waits for besides people. */
  waits?: string;
  /** Its open items, as far as its report had room. */
  items?: readonly OpenItem[];
  /** What it has spent, and whether that sum is final. */
  spent?: Sums;
  isDone?: true;
  /** It exists, and accepts queries and signals. */
  isStarted: boolean;
  out: Outgoing;
}

/** Why something that has not begun waits, and until when. Times are ISO 8601. */
export interface Backoff {
  readonly cause: DeferralCause;
  /** In words, for people. */
  readonly reason: string;
  /** Since when it waits for this cause. */
  readonly since: string;
  /** No try before this time; empty if a try may follow at once. */
  readonly until: string;
  /** Consecutive tries that were deferred. */
  readonly attempt: number;
  /** When a person is asked, if the wait lasts until then. */
  readonly askAt?: string;
  /** Once a person is asked: the deadline of the answer. */
  readonly deadline?: string;
}

export interface OpenQuestion extends Wait {
  readonly id: string;
  /** -1 for a question of the planner. */
  node: number;
  readonly question: Question;
  /** Its deadline has passed, and its default is being stored. */
  closing: boolean;
}

export interface Answered {
  readonly by: string;
  readonly at: string;
  /** The reference of the answer, and the node that got it; absent if the question ended without one. */
  readonly ref?: string;
  readonly node?: number;
  /** Its deadline passed. */
  readonly expired?: true;
}

/** The reply to a message that may be sent again. */
export interface PastReply {
  /** Shortened, and without the issues of a rejected plan. */
  readonly reply: Reply;
  /** For a signed message: when its token expires, in seconds since 1970. */
  readonly until?: number;
  /** Size of the reply as JSON. */
  readonly bytes: number;
}

export type PendingTask = (
  | { readonly kind: 'draft' }
  /** The next stage of the planning. */
  | { readonly kind: 'plan' }
  /** A text about why the run failed. */
  | { readonly kind: 'report' }
  /** The next step of a loop. */
  | { readonly kind: 'decide' }
  /** A check whether agents' runs have ended. */
  | { readonly kind: 'look' }
  /** `part`: the name of the activity that runs it with others. */
  | { readonly kind: 'node'; node: number; readonly part?: string }
  /** A node that the plan no longer has; its end is recorded and not used. */
  | {
      readonly kind: 'unused';
      readonly id: string;
      readonly effect: Effect;
      readonly part?: string;
      /** For an at-most-once effect: its key in `removedEffects`. */
      readonly claim?: string;
    }
  /** `message`: the id of a message in the inbox. */
  | { readonly kind: 'message'; readonly message: number; readonly request: Request }
  | { readonly kind: 'default'; readonly request: Extract<Request, { do: 'store' }> }
) & {
  /** Who asked it to stop. */
  stopping?: string;
  /** The run asked it to stop for a new history. */
  isDrained?: true;
  /** Why it was last deferred; for a node see `Nodes`. */
  backoff?: Backoff;
  /** It waits for its next start. */
  isDeferred?: true;
  /** The attempts before it was scheduled again; for a node see `Nodes`. */
  attempts?: number;
};

/** A request to an activity, and the message or question that it serves. */
export type Request =
  /** An edit: its plan has to be compiled. */
  | { readonly do: 'compile'; readonly decision: Signed }
  /** A request for a better plan: the planner goes through its stages. */
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
  /** A token names an unknown key: the project may have it by now. */
  | { readonly do: 'keys' };

/** The use of the stored value. */
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

/** A message in the inbox. */
export interface Message extends Pick<MessageArrival, 'name' | 'payload' | 'at' | 'update'> {
  /** Counts from 1 in a run, across its histories. */
  readonly id: number;
  /** The next turn, a plan, room for another activity, or the activity that works for it. */
  waitsFor: 'turn' | 'plan' | 'room' | 'activity';
  /** Size as JSON; set if the message waits beyond its first turn. */
  bytes?: number;
  /** Set once its signature is verified; `until` is when its token expires, in seconds since 1970. */
  signed?: { readonly signature: string; readonly until: number };
}
