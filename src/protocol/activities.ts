/** The requests and replies between a run and its activities. */

import type { PlanIssue } from '../plan/index.ts';
import type { ResultHandle } from './nodes.ts';
import { WAIT } from './options.ts';
import type { Usage } from './spending.ts';
import type { Asked } from './question.ts';
import { fits, maybe, oneOf, typed, whereHas, type Of } from './shape.ts';
import { SLICE, type RunSlice } from './slice.ts';

/** A slice as it travels: in the reply itself, or in pages of the result store where it is long. */
export const SENT = whereHas('slice', { slice: typed<RunSlice>(SLICE) }, { pages: ['ref'] });
export type SentSlice = Of<typeof SENT>;

/** With a base: the node of it that each node of a plan is, by their indexes, -1 where it is none. */
export const SAME_NODES = {
  /** The nodes for which everything holds that was approved, done and asked there. */
  sameAs: maybe(['place']),
  /**
   * For the other nodes: the plan has another form. Work that was done and questions that were asked there hold;
   * approvals do not.
   */
  reformed: maybe(['place']),
} as const;
export type SameNodes = Of<typeof SAME_NODES>;

/** A document that was compiled, and is in the store. */
export type CompiledDocument =
  | ({ readonly ok: true } & SentSlice & SameNodes)
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

/**
 * The most repetitions of one node by hand. Each takes an idempotency key, and takes those before it away.
 * @bound repetitions of one node by hand
 * @beyond `retry-node` is `not-possible`; a request fails (`InvalidInput`)
 */
export const MAX_REPETITIONS = 1000;

/** A node that asks a person has no result yet; one that is deferred has not begun. */
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

export const DEFERRAL_CAUSES = ['run', 'version', 'fault', 'model', 'budget', 'worker'] as const;
export type DeferralCause = (typeof DEFERRAL_CAUSES)[number];

const DEFERRAL = {
  /**
   * `run`: the run does not let it begin, or its worker shuts down. `version`: this worker has another version than the one approved.
   * `fault`: the store, the disk or the server is away, and `reason` says which. `model`: the model's server is away, with all attempts
   * of a try. `budget`: it has spent its allowance. `worker`: it lost its workers, and a person is asked.
   */
  deferred: oneOf(DEFERRAL_CAUSES),
  /** In words, for people. */
  reason: 'text',
  /** For `model`: how long the run waits before a person is asked, in milliseconds, at most a year. */
  patienceMs: maybe(WAIT),
  /** For `model`: how long its server asks not to be asked again, in milliseconds, at most a year. */
  pauseMs: maybe(WAIT),
  /** The attempts before this one; absent where there were none. */
  attempts: 'count?',
  /** What the capability of a node has reported: a reference. */
  report: 'ref?',
} as const;

/** No attempt was made, and why: the run schedules the work again with the attempts that are left. Any activity may reply this. */
export type Deferral = Of<typeof DEFERRAL> & Paid;

/** Whether this says that no work has begun: an activity can be completed from outside, with anything. */
export function isDeferral(value: unknown): value is Deferral {
  return fits(DEFERRAL, value);
}
