/** A run that decides one step at a time: round, guard, decision, step, observation. Plain data. */

import type { LoopTask, NodeStatus, Observation, PlanningTrouble, ResultHandle } from '../../protocol/index.ts';
import { cutCharacters } from '../../plan/text/index.ts';

export interface Loop {
  readonly task: LoopTask;
  /** Rounds so far, including failed and rejected ones. */
  round: number;
  readonly maxRounds: number;
  /** Reference of the decisions and observations so far. */
  notes?: string;
  /** The step under way. */
  step?: {
    readonly round: number;
    readonly summary: string;
    /** The stage that decided the step, if it was not the model: `gate g_region`. */
    readonly by?: string;
    /** Its result is the result of the loop. */
    readonly ends?: true;
  };
  /** The steps of earlier rounds: their number, and the last 50 in words. */
  past?: Record<'done' | 'failed', { count: number; last: string[] }>;
  /** The results of earlier steps by context key, the newest last. */
  results?: Record<string, ResultHandle>;
  /** What the next decision sees of the last step. */
  observation?: Observation;
  trouble?: PlanningTrouble;
  /** The declared cost of the nodes that earlier steps began. */
  cost?: number;
  /** Consecutive replies without a step, and their limit. */
  wrong: number;
  readonly attempts: number;
  /** Consecutive steps that people rejected. */
  rejections: number;
  /** Set at the end of the loop. */
  result?: ResultHandle;
  /** Set if the loop reached a limit of its policy. */
  outcome?: 'aborted';
}

/**
 * Pathfinder: a sub-agent has 5 attempts to produce a step.
 * @bound consecutive replies of a model without a step
 * @beyond the run fails (`PlanFailed`, no-result)
 */
export const DEFAULT_ATTEMPTS = 5;
/**
 * @bound consecutive steps that people reject
 * @beyond the run ends (`rejected`)
 */
export const MAX_STEP_REJECTIONS = 10;
/** Steps of each kind that a report names; the query `nodes` has all. */
export const MAX_STEPS_NAMED = 50;

/**
 * @bound results of earlier steps that a loop without a result leaves
 * @beyond the newest stay; `planwright result RUN --node step_3` has the others
 */
export const MAX_STEP_RESULTS = 100;

export function openLoop(task: LoopTask, maxRounds: number, attempts = DEFAULT_ATTEMPTS): Loop {
  return { task, round: 0, maxRounds, wrong: 0, attempts, rejections: 0 };
}

/** The end of a step: that of its root, and the results of its other nodes. */
export function observationOf(
  round: number,
  ended: {
    readonly status: NodeStatus | 'rejected';
    readonly results: Readonly<Record<string, ResultHandle>>;
    readonly message: string | undefined;
    /** Why the others have no result, by their keys. */
    readonly failures?: readonly (readonly [key: string, why: string])[];
  },
): Observation {
  const { status, results, message, failures = [] } = ended;
  const told = failures.slice(0, MAX_FAILURES).map(([key, why]) => [key, cutCharacters(why, MAX_FAILURE)] as const);
  return {
    round,
    status,
    results,
    ...(message !== undefined && { message: cutCharacters(message, MAX_MESSAGE) }),
    ...(told.length > 0 && { failures: Object.fromEntries(told) }),
  };
}

/** Failed nodes of a step that the observation names. */
const MAX_FAILURES = 16;
/** In UTF-16 code units, for each of these nodes. */
const MAX_FAILURE = 500;

/** In UTF-16 code units: why a step has no result, for the next decision. */
const MAX_MESSAGE = 2000;
