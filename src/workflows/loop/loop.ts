/** A run that decides one step after the other: round, guard, decision, step, observation. Plain data. */

import type { LoopTask, NodeStatus, Observation, PlanningTrouble, ResultHandle } from '../../protocol/index.ts';
import { cutCharacters } from '../../plan/text/index.ts';

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

/**
 * Pathfinder: a sub-agent has 5 attempts to produce a step.
 * @bound replies in a row that are no step
 * @beyond the run fails (`PlanFailed`, no-result)
 */
export const DEFAULT_ATTEMPTS = 5;
/**
 * Refused steps in a row after which the run ends; the gate stays shut.
 * @bound steps in a row that people refuse
 * @beyond the run ends (`rejected`); the gate stays shut
 */
export const MAX_STEP_REJECTIONS = 10;
/**
 * Steps that a report names of each kind; the rest is counted.
 * @bound steps that the report names, of each kind
 * @beyond the others are counted; they are in the query `nodes`
 */
export const MAX_STEPS_NAMED = 50;

/**
 * @bound results of earlier steps that a loop without a result leaves
 * @beyond the newest; `planwright result RUN --node step_3` has the others
 */
export const MAX_STEP_RESULTS = 100;

export function openLoop(task: LoopTask, maxRounds: number, attempts = DEFAULT_ATTEMPTS): Loop {
  return { task, round: 0, maxRounds, wrong: 0, attempts, rejections: 0 };
}

/** How a step ended, of all its nodes: as its root did, and of the others what they gave. */
export function observationOf(
  round: number,
  ended: {
    readonly status: NodeStatus | 'rejected';
    readonly results: Readonly<Record<string, ResultHandle>>;
    readonly message: string | undefined;
    /** Why the others have none, by their keys. */
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

/**
 * Nodes of one step that are told to have failed, as many as reads go together, and the words of each.
 * @bound nodes of one step that are told to have failed
 * @beyond the others are missing among the results
 */
const MAX_FAILURES = 16;
/**
 * @bound {characters} why one of these nodes failed
 * @beyond cut
 */
const MAX_FAILURE = 500;

/**
 * The most UTF-16 code units.
 * @bound why a step has no result, as the next decision is told it
 * @beyond cut
 */
const MAX_MESSAGE = 2000;
