/**
 * The state of a run: plain JSON, and with the slice of the open plan all that its next history begins with. What can be
 * reckoned from the two stands in no state: what may start, and the gate.
 */

import type { Effect, JsonValue } from '../../plan/index.ts';
import type {
  Answer,
  ApprovalRule,
  Control,
  Decision,
  Held,
  Killed,
  LoopTask,
  MessageArrival,
  NodeFailure,
  NodeStatus,
  Observation,
  OpenItem,
  Outcome,
  Phase,
  Planning,
  PlanningTrouble,
  PlanSource,
  ProjectPolicy,
  Question,
  RecordedDecision,
  Replanned,
  Reply,
  ResultHandle,
  RunFailure,
  RunOptions,
  RunSlice,
  SignedStart,
  Spending,
  TraceEntry,
  TraceKind,
  Usage,
} from '../../protocol/index.ts';

/** Raised by the first change of the form after a release. A worker takes its own version and those before. */
export const STATE_VERSION = 1;

export interface RunState {
  readonly dialogue: Omit<Dialogue, 'approval'> & { readonly approval: Omit<Approval, 'gate'> };
  /** There are none without a plan. */
  readonly nodes?: Nodes;
  /** The work under way, by an id of this history; what goes to the next one has not begun. */
  readonly work: Record<number, Work>;
  readonly begun: number;
}

/** What is in the store for the next histories: pages by their references. */
export interface Stored {
  /** The oldest entries of the trace. */
  readonly trace: readonly StoredEntries[];
  readonly slice?: readonly string[];
}

/** Nodes by their indexes. */
export type NodeSet = Readonly<Record<number, true>>;

/** All that a run knows of the nodes of its plan. */
export interface Nodes {
  readonly status: NodeStatus[];
  readonly handles: Record<number, ResultHandle>;
  readonly failures: Record<number, NodeFailure>;
  /** For a skipped node: the node whose failure caused it. */
  readonly causes: Record<number, number>;
  /** Nodes that ended without a result and wait for a person's word; the nodes that depend on them wait with them. */
  readonly unsettled: Record<number, Wait>;
  /** How often a person had a node repeated. */
  readonly retries: Record<number, number>;
  /** The signed messages by which people had it repeated. */
  readonly repeatedBy: Record<number, readonly string[]>;
  /** How each node was held back before it began, since a person had it repeated. */
  readonly heldBack: Record<number, Holding>;
  /** The attempts that were made before a node was scheduled again, since a person had it repeated. */
  readonly attempts: Record<number, number>;
  /** What their capabilities had reported before: references. */
  readonly reports: Record<number, string>;
  /** Nodes that were stopped once since the history had too many events. */
  readonly stopped: Record<number, true>;
  /** Nodes that go in no part any more: a worker was lost with them. */
  readonly alone: Record<number, true>;
  /** The notes on results, of the first nodes that have some. */
  readonly notes: Record<number, readonly string[]>;
  /** When each node was scheduled last and when it ended, in milliseconds since 1970. */
  readonly scheduledAt: Record<number, number>;
  readonly endedAt: Record<number, number>;
}

export interface Dialogue {
  options: RunOptions;
  project: ProjectPolicy;
  /**
   * What the run knows of its project: whose word counts, for which it may ask before, or all. The first reply of an
   * activity that has the project brings it.
   */
  known: 'nothing' | 'keys' | 'project';
  /** When the first run of the chain began, ISO 8601: a token that was signed before was meant for another run. */
  readonly startedAt: string;
  /** The run id of the first execution, which a hand-over and a reset keep; of an agent's run, that of its root. */
  chain: string;
  /** The plan to compile, while there is none. */
  source?: PlanSource;
  /** A goal on its way to its first plan, or the open plan where it is made anew. */
  planning?: Planning;
  /** With `onFailure: replan`: the plans that were made anew, and what another one starts from. */
  replans?: Replans;
  /** The rounds of a run that decides one step after the other. */
  loop?: Loop;
  /** The agents at work, by the ids of their runs. */
  readonly children: Record<string, Child>;
  /** When its agents' runs are looked at next, whose end this history does not hear of, and how often they were. */
  looks?: { readonly at: string; readonly times: number; readonly problem?: string };
  /** Only an agent's run has it: the key by which its parent knows it. */
  parent?: { readonly key: string; out: Outgoing };
  /** The run whose node this agent carries out is paused. */
  parentPaused: boolean;
  /** How often the planner was set to work: for the goal, and for each revision that was asked for. */
  plannings: number;
  /** What its models were paid for: the planner, the decisions, and the calls of capabilities; not its agents. */
  usage: Usage;
  /** Its budget, once it is known that there is one. */
  account?: Account;
  /**
   * What the open plan was made as. A fallback is made by no model, and never runs without a person; an answer is the
   * plan that a chat gets by the route `direct`.
   */
  made: 'plan' | 'fallback' | 'answer';
  /** The signed start, and who started the run, once that is verified. */
  start?: { readonly signed: SignedStart; readonly by?: string };
  /**
   * The persons whose words are in the open plan, beside the starter, or in what a loop decides next: by an edit, a wish, an answer
   * or a reason for a refusal. Beside it the signed messages by which a worker knows so, one of each person.
   */
  editors: readonly string[];
  editTokens: readonly string[];
  approval: Approval;
  /** No node starts while an operator has paused the run. */
  paused: boolean;
  /** The run was cancelled through Temporal. */
  cancelled: boolean;
  /** The fault that the whole run waits for. */
  fault?: Fault;
  /** The failure that it ends with. */
  failure?: RunFailure;
  /** The report of that: not asked for, asked for, or there, or not to be had. */
  report: 'none' | 'asked' | 'done';
  /** The time since which every node has ended (ISO 8601); earlier messages are still heard. */
  endedAt?: string;
  /** Effects that have begun in plans before the open one, by their effect keys. */
  readonly begunEffects: Record<string, BegunEffect>;
  /** The open questions, by id, in the order in which they were asked. */
  questions: Record<string, AskedQuestion>;
  /** The outcome of each closed question. */
  readonly answered: Record<string, Answered>;
  /** Messages that have arrived and were not looked at yet, in order. */
  mailbox: Message[];
  /**
   * Messages that came before there was a plan. The reply said that they are kept; the run hears them when the plan is
   * there.
   */
  early: Message[];
  /** Messages that were looked at and wait for their turn, since an activity has to do something for them first. */
  queue: Queued[];
  /** Counts messages. */
  messages: number;
  /** The replies to signed messages that were heard, by their signatures; each counts once. */
  readonly tokens: Record<string, HeardToken>;
  /** The latest replies to updates: an update that is sent again to the next history is not heard twice. */
  readonly updates: { readonly update: string; readonly reply: Reply }[];
  /** When the public keys were last read anew, or the run began (ISO 8601). */
  keysReadAt: string;
  /** The roles that the search attribute names now. */
  shownRoles: string;
  readonly trace: Trace;
}

/** The plans of a run that were made anew, since steps had failed. */
export interface Replans extends Replanned {
  /** How many were opened, the revision of the last, and why it was made. */
  readonly made: number;
  readonly revision?: number;
  readonly why?: string;
  /** Since when what is under way is waited for, before the plan is made anew (ISO 8601). */
  readonly since?: string;
  /** Why no other one is made. */
  readonly over?: string;
}

/** An effect that may not begin again unseen. */
export interface BegunEffect {
  readonly what: string;
  /** The revision and the node. */
  readonly where: string;
  /** It is known to have run; else it may have. */
  readonly isOver: boolean;
  /** The capability of an at-most-once effect that is uncertain. */
  readonly by?: string;
}

/**
 * What was sent to another run. A history ends only when the server has confirmed or refused all that it has sent: a signal that is
 * ordered in the task that ends a history is dropped.
 */
export interface Outgoing {
  /** The last message, as JSON, unless it has failed. */
  sent?: string;
  /** The server has neither confirmed nor refused it. */
  isUnderWay?: true;
  /** Tries in a row that failed, and when the next is due (ISO 8601). */
  failures?: number;
  notBefore?: string;
  /** A request to cancel was sent. */
  isCancelled?: true;
  /** Its receiver is to tell its state: this run was reset, and what it had heard is gone. */
  asks?: true;
}

/** An agent's run that a node waits for. */
export interface Child {
  /** The id of the work whose run it is. */
  readonly work: number;
  /** The key by which it is known. */
  readonly key: string;
  /** The run id of its first execution. */
  first?: string;
  waitingFor: number;
  /** What it waits for beside people. */
  waits?: string;
  /** The things that wait there, as far as there was room for them in what it told. */
  items?: readonly OpenItem[];
  /** What it has spent, and whether that is its last sum. */
  spent?: Sums;
  isDone?: true;
  /** It is there: it can be asked, and told. */
  isStarted: boolean;
  out: Outgoing;
}

export interface Wait {
  /** ISO 8601, both. */
  readonly since: string;
  readonly deadline: string;
}

/** Why work that has not begun waits, and until when. */
export interface Holding {
  /** How often it was held. */
  readonly times: number;
  /** The time since which it waits for this reason (ISO 8601). */
  readonly since: string;
  /** Before when it does not begin again (ISO 8601); empty where it may at once. */
  readonly until: string;
  readonly reason: string;
  /** Absent where the run itself said no. */
  readonly by?: Held['by'];
}

/** The store, the disk or the server is away, the server of the model, or every worker with the approved version. */
export interface Fault extends Omit<Holding, 'by'> {
  /** Absent where it is the store, the disk or the server: the whole run waits for these. */
  readonly by?: 'model' | 'version' | 'worker';
  /** How long it is waited out before a person is asked, in milliseconds. */
  readonly patienceMs?: number;
  /** Once a person is asked about it: until when (ISO 8601). */
  readonly deadline?: string;
}

export interface AskedQuestion extends Wait {
  readonly id: string;
  /** -1 for a question of the planner. */
  node: number;
  readonly question: Question;
  /** Its deadline has passed and its default is being taken. */
  closing: boolean;
}

export interface Answered {
  readonly by: string;
  readonly at: string;
  /** The reference of the answer and the node it went to; absent when the question ended without one. */
  readonly ref?: string;
  readonly node?: number;
  /** Its deadline passed. */
  readonly expired?: true;
}

export interface HeardToken {
  readonly reply: Reply;
  /** The time until which the token is good, in seconds since 1970; after it it is refused as expired anyway. */
  readonly until: number;
}

/** A decision with whether its sender was proved: by a signature, or not at all. */
export type Signed = Decision & {
  readonly verified: boolean;
  /** With a person's key. */
  readonly personKey?: true;
  /** The signed message itself. */
  readonly token?: string;
};

export interface Approval {
  readonly phase: Phase;
  /** Counts the plans of this run from 1; 0 while there is none. */
  readonly revision: number;
  /** '' while drafting. */
  readonly digest: string;
  /** Reckoned from the options, the project and the plan. */
  readonly gate: Gate | undefined;
  readonly consents: readonly Consent[];
  /** The nodes of the open revision that still need somebody's approval. */
  readonly uncovered: readonly number[];
  /** The latest, at most 100; the trace has all of them. */
  readonly decisions: readonly RecordedDecision[];
  readonly rejections: number;
  /** The open revision was rejected and waits for an edit. */
  readonly rejected: boolean;
  /**
   * Since when somebody's approval is waited for, and until when the open revision may be decided: a decision that the
   * run hears later comes too late. Or the milliseconds that were left when the last node was covered.
   */
  readonly wait: Wait | { readonly leftMs: number };
  /** The fewest nodes of this revision that ever were uncovered: only who brings it down begins the wait anew. */
  readonly fewest: number;
  readonly closed?: Closed;
  readonly bounds: {
    /** The rejection that ends the run; those before leave the gate shut until an edit. */
    readonly maxRejections: number;
    /** Plans that a run may have one after another. */
    readonly maxRevisions: number;
  };
}

/** How a run closed. */
export interface Closed {
  readonly outcome: Outcome;
  /** Why, where it did not end as it should. */
  readonly reason?: string;
  /** A person has ended it at once. */
  readonly killed?: Killed;
}

/** The subject of a decision: the plan as the rules see it. */
export interface Gate {
  readonly plan: Pick<RunSlice, 'inputs' | 'after' | 'executors' | 'executorOf'>;
  /** The rules, all of which hold; a node that none matches needs nobody. */
  readonly rules: readonly ApprovalRule[];
  /** How long the open revision waits for a decision. */
  readonly deadlineMs: number;
  /** The persons who started the run and edited its plan; absent where its start proves nobody. */
  readonly authors?: readonly string[];
}

/** The approval of one person in one role. */
export interface Consent {
  readonly by: string;
  /** `personOf(by)`. */
  readonly person: string;
  readonly role?: string;
  /** It was signed with a person's key. */
  readonly personKey?: true;
  /** ISO 8601; of the latest decision. */
  readonly at: string;
  readonly nodes: 'all' | NodeSet;
  /** The signed message that says so. */
  readonly token?: string;
  /** They approved a whole plan of this run, so a read that an edit brings asks them no more. */
  readonly reads?: true;
}

export type Work = (
  | { readonly kind: 'draft' }
  /** The stage at which the planning stands. */
  | { readonly kind: 'plan' }
  /** Why the run failed, in words. */
  | { readonly kind: 'report' }
  /** The next step of a loop. */
  | { readonly kind: 'decide' }
  /** Whether runs of agents have ended. */
  | { readonly kind: 'look' }
  /** `part`: it is carried out with others in one activity, which has this name. */
  | { readonly kind: 'node'; node: number; readonly part?: string }
  /** A node that the plan no longer has; how it ends is told and not used. */
  | { readonly kind: 'unused'; readonly id: string; readonly effect: Effect; readonly part?: string }
  | { readonly kind: 'message'; readonly message: Message; readonly request: Request }
  | { readonly kind: 'default'; readonly request: Extract<Request, { do: 'store' }> }
) & {
  /** It was asked to stop, by whom. */
  stopping?: string;
  /** It was asked to stop for a new history. */
  isDrained?: true;
  /** It was held back before it began; never of a node. */
  holding?: Holding;
  /** It waits to begin again. */
  waits?: true;
  /** The attempts that were made before it was scheduled again; never of a node, whose are in `Nodes`. */
  attempts?: number;
};

export type Queued =
  /** It is judged again when its turn comes. */
  | { readonly for: 'message'; readonly message: Message }
  /** The deadline of a question has passed, and its default is to be stored. */
  | { readonly for: 'default'; readonly question: string };

/** The request to an activity, and for whom. */
export type Request =
  /** An edit: its plan has to be compiled. */
  | { readonly do: 'compile'; readonly decision: Signed }
  /** A plan is wanted that is better: the planner goes through its stages. */
  | { readonly do: 'revise'; readonly decision: Signed; readonly planning: Planning }
  | {
      readonly do: 'store';
      /** Absent for a question of the planner. */
      readonly node?: string;
      readonly value: JsonValue;
      readonly schema?: Readonly<Record<string, JsonValue>>;
      readonly as: StoredAs;
    }
  /** A token names a key that is not known: the project may have it by now. */
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

export interface Message extends Pick<MessageArrival, 'name' | 'payload' | 'at' | 'update'> {
  /** Counts from 1 in a run, also when it goes on in a new history. */
  readonly id: number;
}

export interface Loop {
  readonly task: LoopTask;
  /** Rounds that were begun; those that failed or were refused count. */
  round: number;
  readonly maxRounds: number;
  /** Reference of what was decided and observed. */
  notes?: string;
  /** The step that is carried out now. */
  step?: {
    readonly round: number;
    readonly summary: string;
    /** The stage that decided it, where it was not the model: `gate g_region`. */
    readonly by?: string;
    /** Its result is the result of the loop. */
    readonly ends?: true;
  };
  /** The steps of the rounds that have ended: how many, and the last 50 in their words. */
  past?: Record<'done' | 'failed', { count: number; last: string[] }>;
  /** The results of the steps that have ended, by context key, the newest last. */
  results?: Record<string, ResultHandle>;
  /** The next decision is told this. */
  observation?: Observation;
  trouble?: PlanningTrouble;
  /** Replies in a row that were no step, and how many may be. */
  wrong: number;
  readonly attempts: number;
  /** Steps in a row that a person refused. */
  rejections: number;
  /** Set when the loop is over. */
  result?: ResultHandle;
  /** How it is over: a cap of its policy was reached. */
  outcome?: 'aborted';
}

/** The budget of a run. Plain data. */
export interface Account {
  readonly ledger: Ledger;
  /** A person is asked about the end of it. */
  asked?: Wait;
  /** Nothing more is bought: work that would costs fails. */
  over?: true;
}

export type Sums = Required<Spending>;

export interface Ledger {
  spent: Sums;
  /** By a name of the work: `w7` while it is under way, or of a node that comes again. */
  readonly reserved: Record<string, Sums>;
  /** The sum of these: a thousand nodes may look at it in one turn. */
  held: Sums;
  /** The dearest call so far: the next may be as dear. */
  call: Sums;
  /** How often a person has given as much again. */
  more: number;
  /** A call has cost money that nobody can tell, since its model has no price. */
  unpriced?: true;
  /** Executors of nodes that ask a model, by their labels: the run learns them. */
  readonly askers: string[];
}

export interface Trace {
  /** The entries that are kept here, in order; earlier ones are in the store. */
  entries: TraceEntry[];
  /** Older entries, in pages of the result store, in order. */
  stored: readonly StoredEntries[];
  /** The number of the latest entry. */
  last: number;
  /** How many of each kind that may be dropped have been kept. */
  readonly counts: Partial<Record<TraceKind, number>>;
  dropped: number;
}

/** A page of entries: a JSON list, under its reference. */
export interface StoredEntries {
  readonly ref: string;
  /** The number of its last entry. */
  readonly last: number;
}
