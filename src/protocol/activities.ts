import type { PlanIssue } from '../plan/index.ts';
import type { ResultHandle } from './nodes.ts';
import { WAIT } from './options.ts';
import type { Usage } from './spending.ts';
import type { Asked } from './question.ts';
import { fits, maybe, oneOf, typed, whereHas, type Of } from './shape.ts';
import { PREVIEW, PLAN_SHAPE, type Preview, type PlanShape } from './plan-shape.ts';

/** The plan shape in a reply: the shape itself or, if it is long, references of its stored pages. */
export const SENT = whereHas('planShape', { planShape: typed<PlanShape>(PLAN_SHAPE) }, { pages: ['ref'] });
export type SentPlanShape = Of<typeof SENT>;

/** For each node of a new plan, the index of the same node in an earlier plan, or -1. */
export const SAME_NODES = {
  /** Nodes that are equal in both plans. Their approvals, results and questions stay valid. */
  sameAs: maybe(['place']),
  /** Nodes that do the same in another form. Their results and questions stay valid, but not their approvals. */
  reformed: maybe(['place']),
} as const;
export type SameNodes = Of<typeof SAME_NODES>;

/** The reply to a request to compile a document: the stored plan, or the issues of an invalid document. */
export type CompiledDocument =
  | ({ readonly ok: true } & SentPlanShape & SameNodes)
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

/**
 * Each manual repetition of a node has its own idempotency key.
 * @bound manual repetitions of one node
 * @beyond `retry` is rejected as `not-possible`; a request with a larger number fails with `InvalidInput`
 */
export const MAX_REPETITIONS = 1000;

/** The reply of a node's activity: the result, a question, or a deferral if the node has not begun. */
export type NodeReply = (((ResultHandle & Noted) | Asked) & Paid) | Deferral;

/** The model calls of an activity, so that the run can count their cost. */
export interface Paid {
  readonly usage?: Usage;
  /** Earlier attempts; absent if there were none. */
  readonly attempts?: number;
}

export const MAX_NODE_NOTES = 10;

/** Notes on a valid result about probable mistakes in arguments or inputs. */
export interface Noted {
  /** At most 10 sentences, each of at most 500 bytes. */
  readonly notes?: readonly string[];
}

export const SEEN_CHANGE = {
  cost: 'amount?',
  /** What the effect would change now; absent if only the cost has changed. */
  preview: maybe(typed<Preview>(PREVIEW)),
} as const;
/** What a worker finds right before a node begins, if that differs from what people approved. */
export type SeenChange = Of<typeof SEEN_CHANGE>;

export const DEFERRAL_CAUSES = [
  'run',
  'version',
  'fault',
  'model',
  'budget',
  'worker',
  'probe',
  'look',
  'queue',
] as const;
export type DeferralCause = (typeof DEFERRAL_CAUSES)[number];

const DEFERRAL = {
  /**
   * Why the task was deferred.
   * - `run`: the run does not allow the start, or the worker is shutting down.
   * - `version`: this worker has another version of the capability than the approved one.
   * - `fault`: the store, the disk or the Temporal server is unavailable; `reason` says which.
   * - `model`: the model's server did not answer any attempt.
   * - `budget`: the run has spent its budget.
   * - `worker`: the workers of this activity were lost, so a person is asked.
   * - `probe`: the probe says that the effect has not happened, but an earlier attempt may still be running.
   * - `look`: the capability cannot compute what its effect would change.
   * - `queue`: what the capability waits for is missing, such as a worker of another task queue.
   */
  deferred: oneOf(DEFERRAL_CAUSES),
  reason: 'text',
  /** For `model`: how long the run waits before it asks a person, in ms, at most a year. */
  patienceMs: maybe(WAIT),
  /** For `model`: the pause that the model's server asks for, in ms, at most a year. */
  pauseMs: maybe(WAIT),
  attempts: 'count?',
  /** For a node: what the worker finds now, if it differs from what people approved, so that the run asks again. */
  seen: maybe(typed<SeenChange>(SEEN_CHANGE)),
  /** For a node: signatures of grants that do not cover the node any more, so that the run asks people. */
  ungranted: maybe(['name']),
  report: 'ref?',
  /** True if an earlier attempt may have begun the node and this attempt could not find out. */
  mayHaveBegun: 'flag?',
} as const;

/** The reply of a deferred activity. The run schedules it again with the remaining attempts. */
export type Deferral = Of<typeof DEFERRAL> & Paid;

/** Validates a deferral, since anyone with access to the server can complete an activity from outside. */
export function isDeferral(value: unknown): value is Deferral {
  return fits(DEFERRAL, value);
}

/** The input of `activityWorkflow`: the other worker's activity, its time limits, and its task. */
export const ACTIVITY_CALL = {
  activity: 'name',
  taskQueue: 'name',
  startToCloseMs: WAIT,
  /** How long the activity waits for a worker, in ms. */
  queueMs: WAIT,
  heartbeatMs: maybe(WAIT),
  task: 'record',
} as const;
export interface ActivityCall extends Of<typeof ACTIVITY_CALL> {}
