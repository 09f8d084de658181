/** The requests and replies between a run and its activities. */

import type { PlanIssue } from '../plan/index.ts';
import type { ResultHandle } from './nodes.ts';
import { WAIT } from './options.ts';
import type { Usage } from './spending.ts';
import type { Asked } from './question.ts';
import { fits, maybe, oneOf, typed, whereHas, type Of } from './shape.ts';
import { PREVIEW, SLICE, type Preview, type RunSlice } from './slice.ts';

/** A slice in transit: in the reply itself, or if it is long in pages of the result store. */
export const SENT = whereHas('slice', { slice: typed<RunSlice>(SLICE) }, { pages: ['ref'] });
export type SentSlice = Of<typeof SENT>;

/** With a base: for each node of a plan the index of the same node in the base, or -1. */
export const SAME_NODES = {
  /** Nodes that are the same: approvals, results and questions stay. */
  sameAs: maybe(['place']),
  /** Nodes that do the same in another form: results and questions stay, approvals do not. */
  reformed: maybe(['place']),
} as const;
export type SameNodes = Of<typeof SAME_NODES>;

/** A document that was compiled, and is in the store. */
export type CompiledDocument =
  | ({ readonly ok: true } & SentSlice & SameNodes)
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

/**
 * Each repetition takes an idempotency key, and removes the earlier ones.
 * @bound repetitions of one node by hand
 * @beyond `retry` is `not-possible`; a request fails (`InvalidInput`)
 */
export const MAX_REPETITIONS = 1000;

/** A node with a question has no result yet; a deferred node has not begun. */
export type NodeReply = (((ResultHandle & Noted) | Asked) & Paid) | Deferral;

/** The calls of models that work has made. */
export interface Paid {
  readonly usage?: Usage;
}

/** Notes of one node. */
export const MAX_NODE_NOTES = 10;

/**
 * Notes on a result: something in the node's arguments or inputs looks like a mistake. The node has its result all the
 * same.
 */
export interface Noted {
  /** At most 10 sentences of at most 500 bytes. */
  readonly notes?: readonly string[];
}

export const SEEN_CHANGE = {
  /** The declared cost of one execution, if there is one. */
  cost: 'amount?',
  /** What the effect would change now; absent if its cost has changed. */
  preview: maybe(typed<Preview>(PREVIEW)),
} as const;
/** What a worker sees right before a node begins, if that is not what people have approved. */
export type SeenChange = Of<typeof SEEN_CHANGE>;

export const DEFERRAL_CAUSES = ['run', 'version', 'fault', 'model', 'budget', 'worker', 'probe', 'look'] as const;
export type DeferralCause = (typeof DEFERRAL_CAUSES)[number];

const DEFERRAL = {
  /**
   * `run`: the run does not allow the start, or the worker shuts down. `version`: this worker has another version than
   * the approved one. `fault`: the store, the disk or the server is away; `reason` names it. `model`: the model's
   * server is away after all attempts. `budget`: the allowance is spent. `worker`: its workers were lost, and a person
   * is asked. `probe`: an effect has not happened, as its probe says, and an attempt that claimed it may still run.
   * `look`: its capability cannot see what its effect would change.
   */
  deferred: oneOf(DEFERRAL_CAUSES),
  /** A text for people. */
  reason: 'text',
  /** For `model`: how long the run waits before a person is asked, in milliseconds, at most a year. */
  patienceMs: maybe(WAIT),
  /** For `model`: how long its server asks not to be asked again, in milliseconds, at most a year. */
  pauseMs: maybe(WAIT),
  /** The attempts before this one; absent if there were none. */
  attempts: 'count?',
  /** For a node: the worker sees something else than people have approved, and the run asks again. */
  seen: maybe(typed<SeenChange>(SEEN_CHANGE)),
  /** What the capability of a node has reported: a reference. */
  report: 'ref?',
  /** An earlier attempt may have begun it, and this one could not find out. */
  mayHaveBegun: 'flag?',
} as const;

/** No attempt was made, and why: the run schedules the work again with the attempts that are left. Any activity may reply this. */
export type Deferral = Of<typeof DEFERRAL> & Paid;

/** Validates a deferral: anybody with access can complete an activity from outside. */
export function isDeferral(value: unknown): value is Deferral {
  return fits(DEFERRAL, value);
}
