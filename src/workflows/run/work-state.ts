/** The work of a run, and the messages and questions that it waits for: plain JSON, types alone. */

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

/** Why something that has not begun waits, and until when. Times are ISO 8601. */
export interface Backoff {
  readonly cause: DeferralCause;
  /** In words, for people. */
  readonly reason: string;
  /** Since when it waits for this cause. */
  readonly since: string;
  /** It is not tried again before; empty if it may be tried at once. */
  readonly until: string;
  /** Tries in a row that were deferred. */
  readonly attempt: number;
  /** When a person is asked, if it lasts until then. */
  readonly askAt?: string;
  /** Once a person is asked: until when the answer is waited for. */
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

/** The reply to a message that may come again. */
export interface PastReply {
  /** Without the issues of a refused plan, and cut. */
  readonly reply: Reply;
  /** Of a signed message: the time until which its token is valid, in seconds since 1970. */
  readonly until?: number;
  /** Of the reply, as JSON. */
  readonly bytes: number;
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
  | {
      readonly kind: 'unused';
      readonly id: string;
      readonly effect: Effect;
      readonly part?: string;
      /** Of an at-most-once effect: its key in `removedEffects`. */
      readonly claim?: string;
    }
  /** `message`: the id of one in the inbox. */
  | { readonly kind: 'message'; readonly message: number; readonly request: Request }
  | { readonly kind: 'default'; readonly request: Extract<Request, { do: 'store' }> }
) & {
  /** It was asked to stop, by whom. */
  stopping?: string;
  /** It was asked to stop for a new history. */
  isDrained?: true;
  /** Why it was deferred, the last time; of a node it is in `Nodes`. */
  backoff?: Backoff;
  /** It waits to begin again. */
  isDeferred?: true;
  /** The attempts that were made before it was scheduled again; never of a node, whose are in `Nodes`. */
  attempts?: number;
};

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
      /** Reference of the revision that the node is of, if it is not the open one. */
      readonly revision?: string;
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

/** A message in the inbox. */
export interface Message extends Pick<MessageArrival, 'name' | 'payload' | 'at' | 'update'> {
  /** Counts from 1 in a run, also when it goes on in a new history. */
  readonly id: number;
  /** To be looked at; for the plan; until another activity may begin; for an activity that works for it. */
  waitsFor: 'turn' | 'plan' | 'room' | 'activity';
  /** Of all of it, as JSON, once it waits for more than its turn. */
  bytes?: number;
  /** Once its signature is verified: the signature, and until when its token is valid, in seconds since 1970. */
  signed?: { readonly signature: string; readonly until: number };
}
