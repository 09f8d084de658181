/**
 * The messages of people to a run and its questions to them: the part of a run that an edit leaves as it is. Plain
 * data.
 */

import {
  DEFAULT_OPTIONS,
  type FromParent,
  type Held,
  type Killed,
  type OpenItem,
  type PlanSource,
  type ProjectPolicy,
  type Question,
  type Reply,
  type RunFailure,
  type RunOptions,
  type SignedStart,
  type Usage,
  NO_USAGE,
  type Planning,
  type Replanned,
} from '../../protocol/index.ts';
import type { Unsaid } from '../../protocol/read-input.ts';
import { DRAFTING, type Approval } from '../approval/state.ts';
import type { Loop } from '../loop/loop.ts';
import type { Sums } from './spending/ledger.ts';
import { openTrace, type Trace } from './trace.ts';
import type { Account } from './spending/account.ts';
import type { Queued, Message } from './talk/queue.ts';

export interface Dialogue {
  options: RunOptions;
  /** The options that the project sets, while it is not known. */
  unsaid?: Unsaid;
  project: ProjectPolicy;
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
  readonly children: Map<string, Child>;
  /**
   * Only an agent's run has it: the word by which its parent knows it, and how many things and which it told the parent
   * wait for a person.
   */
  family?: { readonly word: string; told: number; toldItems?: string };
  /** The run whose node this agent carries out is paused. */
  parentPaused?: boolean;
  /** How often the planner was set to work: for the goal, and for each revision that was asked for. */
  plannings: number;
  /** What its models were paid for: the planner, the decisions, and the calls of capabilities; not its agents. */
  usage: Usage;
  /** Its budget, once it is known that there is one. */
  account?: Account;
  /** The open plan is the fallback: no model has made it, and it never runs without a person. */
  isFallback?: true;
  /** The plan was made to answer a chat, by the route `direct`. */
  isAnswer?: true;
  /** The signed start, until it is verified, and who started the run. */
  start?: SignedStart;
  starter?: string;
  /**
   * The persons whose words are in the open plan, beside the starter, or in what a loop decides next: by an edit, a wish, an answer
   * or a reason for a refusal. Beside it the signed messages by which a worker knows so, one of each person.
   */
  editors?: readonly string[];
  editTokens?: readonly string[];
  /** The run knows what the project asks of every run: the first reply of an activity that has it brings it. */
  knowsProject?: true;
  /** The run knows whose word counts: it asks for the keys before the rest of the project. */
  knowsKeys?: true;
  approval: Approval;
  /** No node starts while an operator has paused the run. */
  paused: boolean;
  /** The run was cancelled through Temporal. */
  cancelled: boolean;
  /** A person has ended it at once. */
  killed?: Killed;
  /** The fault that the whole run waits for. */
  fault?: Fault;
  /** The failure that it ends with. */
  failure?: RunFailure;
  /** The report of that: asked for, or there, or not to be had. */
  report?: 'asked' | 'done';
  /** Why it closed, where it did not end as it should. */
  reason?: string;
  /** The time since which every node has ended (ISO 8601); earlier messages are still heard. */
  endedAt?: string;
  /** Effects that have begun in plans before the open one, by their effect keys. */
  begunEffects?: Map<string, BegunEffect>;
  /** The open questions, by id, in the order in which they were asked. */
  readonly questions: Map<string, AskedQuestion>;
  /** The outcome of each closed question. */
  readonly answered: Map<string, Answered>;
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
  readonly tokens: Map<string, HeardToken>;
  /** The replies to updates, by their ids: an update that is sent again to the next history is not heard twice. */
  readonly updates: Map<string, Reply>;
  /** When the public keys were last read anew (ISO 8601). */
  keysReadAt?: string;
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

/** No plan was made anew yet: the first one starts from the planning of the goal, where there was one. */
export function openReplans({ notes, asked = 0 }: Partial<Pick<Planning, 'notes' | 'asked'>> = {}): Replans {
  return { plans: 0, classifications: 0, asked, made: 0, ...(notes !== undefined && { notes }) };
}

/** An effect that may not begin again unseen. */
export interface BegunEffect {
  readonly what: string;
  /** The revision and the node. */
  readonly where: string;
  /** It is known to have run; else it may have. */
  readonly isOver: boolean;
}

/** An agent's run that a node waits for. */
export interface Child {
  /** The id of the work whose run it is. */
  readonly work: number;
  /** The word by which it is known. */
  readonly word: string;
  waitingFor: number;
  /** The things that wait there, as far as there was room for them in what it told. */
  items?: readonly OpenItem[];
  /** What it has spent as it told last, that it needs more, and that it told its last sum. */
  spent?: Sums;
  needs?: true;
  isDone?: true;
  /** It is there: it can be asked, and told. */
  isStarted: boolean;
  /** What it was told last. */
  told: FromParent;
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
  readonly by?: 'model' | 'version';
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

export function openDialogue(startedAt: string): Dialogue {
  return {
    options: DEFAULT_OPTIONS,
    project: { inbox: false },
    children: new Map(),
    plannings: 0,
    usage: NO_USAGE,
    startedAt,
    chain: '',
    approval: DRAFTING,
    paused: false,
    cancelled: false,
    questions: new Map(),
    answered: new Map(),
    mailbox: [],
    early: [],
    queue: [],
    messages: 0,
    tokens: new Map(),
    updates: new Map(),
    shownRoles: '',
    trace: openTrace(),
  };
}

export function waitFrom(at: string, ms: number): Wait {
  return { since: at, deadline: later(at, ms) };
}

/** Both times are ISO 8601. */
export function later(at: string, ms: number): string {
  return new Date(Date.parse(at) + ms).toISOString();
}
