/** The state of a run that decides one step at a time. Each round consists of a decision, a step and an observation. */

import type { LoopTask, NodeStatus, Observation, PlanningTrouble, ResultHandle } from '../../protocol/index.ts';
import { cutCharacters } from '../../plan/text/index.ts';

export interface Loop {
  readonly task: LoopTask;
  /** The number of rounds so far, including failed and rejected ones. */
  round: number;
  readonly maxRounds: number;
  /** Store reference of the decisions and observations of all rounds. */
  notes?: string;
  step?: {
    readonly round: number;
    readonly summary: string;
    /** The stage of the policy that decided the step, such as `gate g_region`; absent if the model decided it. */
    readonly by?: string;
    /** Set if the step's result is the loop's. */
    readonly ends?: true;
  };
  /** Steps of earlier rounds by outcome: their number, and one line of text for each of the last 50. */
  past?: Record<'done' | 'failed', { count: number; last: string[] }>;
  results?: Record<string, ResultHandle>;
  /** What the next decision learns about the last step. */
  observation?: Observation;
  trouble?: PlanningTrouble;
  /** The declared cost of all nodes that earlier steps began. */
  cost?: number;
  /** Consecutive replies of the model without a step. The loop fails when this reaches `attempts`. */
  wrong: number;
  readonly attempts: number;
  rejections: number;
  result?: ResultHandle;
  /** Set if a limit of the policy ended the loop. */
  outcome?: 'aborted';
}

/**
 * Pathfinder also gives a sub-agent 5 attempts.
 * @bound consecutive replies of a model without a step @beyond the run fails (`PlanFailed`, no-result)
 */
export const DEFAULT_ATTEMPTS = 5;
/** @bound consecutive steps that people reject @beyond the run ends (`rejected`) */
export const MAX_STEP_REJECTIONS = 10;
/** Limit of the steps that a report names, for finished and for failed steps each. The query `nodes` returns all. */
export const MAX_STEPS_NAMED = 50;

/**
 * @bound results of earlier steps that remain if a loop ends without a result
 * @beyond the newest remain; `planwright result RUN --node step_3` reads the others
 */
export const MAX_STEP_RESULTS = 100;

export function openLoop(task: LoopTask, maxRounds: number, attempts = DEFAULT_ATTEMPTS): Loop {
  return { task, round: 0, maxRounds, wrong: 0, attempts, rejections: 0 };
}

export function observationOf(
  round: number,
  ended: {
    readonly status: NodeStatus | 'rejected';
    readonly results: Readonly<Record<string, ResultHandle>>;
    readonly message: string | undefined;
    readonly failures?: readonly (readonly [key: string, why: string])[];
  },
): Observation {
  const { status, results, message, failures = [] } = ended;
  const listed = failures.slice(0, MAX_FAILURES).map(([key, why]) => [key, cutCharacters(why, MAX_FAILURE)] as const);
  return {
    round,
    status,
    results,
    ...(message !== undefined && { message: cutCharacters(message, MAX_MESSAGE) }),
    ...(listed.length > 0 && { failures: Object.fromEntries(listed) }),
  };
}

/** Maximum number of failed nodes that an observation lists for a step. */
const MAX_FAILURES = 16;
/** Maximum length of the reason for each failed node, in UTF-16 code units. */
const MAX_FAILURE = 500;

/** Maximum length of the reason why a step has no result, in UTF-16 code units. */
const MAX_MESSAGE = 2000;
