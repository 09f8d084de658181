/** The work of a run, its messages and its questions: plain JSON, types only. */

import type { Effect, JsonValue } from '../../plan/index.ts';
import type {
  Answer,
  Control,
  DeferralCause,
  MessageArrival,
  OpenItem,
  Planning,
  Question,
  Reply,
} from '../../protocol/index.ts';
import type { Wait, Signed } from '../approval/state.ts';
import type { Sums } from './spending/ledger.ts';

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
  readonly work: number;
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

export interface AskedQuestion extends Wait {
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

export type Work = (
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
