/**
 * The state of a run: plain JSON, and with the slice of the open plan all that its next history begins with. What can be
 * reckoned from the two stands in no state: what may start, and the gate.
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
} from '../../protocol/index.ts';
import type { Wait, Approval } from '../approval/state.ts';
import type { Loop } from '../loop/loop.ts';
import type { Ledger } from './spending/ledger.ts';
import type { Work, Message, Backoff, Outgoing, Child, AskedQuestion, Answered, PastReply } from './work-state.ts';

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
  /** Nodes that were deferred before they began. */
  readonly backoffs: Record<number, Backoff>;
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
  /** What the run as a whole waits for, and asks a person about in the end. */
  backoff?: Backoff;
  /** The failure that it ends with. */
  failure?: RunFailure;
  /** The report of that: not asked for, asked for, or there, or not to be had. */
  report: 'none' | 'asked' | 'done';
  /** The time since which every node has ended (ISO 8601); earlier messages are still heard. */
  endedAt?: string;
  /** Effects that have begun in plans before the open one and are not at most once, by their effect keys. */
  readonly begunEffects: Record<string, BegunEffect>;
  /** At-most-once effects that have begun and whose nodes the open plan does not have, by what they are claimed as. */
  removedEffects?: Record<string, RemovedEffect>;
  /** The open questions, by id, in the order in which they were asked. */
  questions: Record<string, AskedQuestion>;
  /** Questions whose deadline has passed and whose default is to be stored, once there is room for an activity. */
  readonly defaults: string[];
  /** The outcome of each closed question. */
  readonly answered: Record<string, Answered>;
  /** Messages that have no reply yet, in the order in which they came. */
  inbox: Message[];
  /** Counts messages. */
  messages: number;
  /**
   * The replies to messages that may come again, the latest last: under `update ID` and `signature SIGNATURE`. Each such message counts
   * once.
   */
  readonly pastReplies: Record<string, PastReply>;
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
}

/** An effect whose node the open plan does not have, as a plan of one node. */
export interface RemovedEffect {
  /** Its id in its plan, whose digest is that of the slice, and the revision of that. */
  readonly node: string;
  readonly revision: number;
  readonly slice: RunSlice;
  readonly nodes: Nodes;
}

/** The budget of a run. Plain data. */
export interface Account {
  readonly ledger: Ledger;
  /** A person is asked about the end of it. */
  asked?: Wait;
  /** Nothing more is bought: work that would costs fails. */
  over?: true;
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
