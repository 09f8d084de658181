/** The state of a run that decides one step at a time. A round consists of a decision, a step and an observation. */

import type { LoopTask, NodeStatus, Observation, PlanningTrouble, ResultHandle } from '../../protocol/index.ts';
import { cutCharacters } from '../../plan/text/index.ts';

export interface Loop {
  readonly task: LoopTask;
  /** The number of rounds so far, with failed and rejected ones. */
  round: number;
  readonly maxRounds: number;
  /** Store reference of the decisions and observations of all rounds. */
  notes?: string;
  step?: {
    readonly round: number;
    readonly summary: string;
    /** The policy's stage that decided the step, such as `gate g_region`; absent if the model decided. */
    readonly by?: string;
    /** True if the step's result is the result of the loop. */
    readonly ends?: true;
  };
  /** Earlier steps by outcome: how many, and one line of text for each of the last 50. */
  past?: Record<'done' | 'failed', { count: number; last: string[] }>;
  results?: Record<string, ResultHandle>;
  observation?: Observation;
  trouble?: PlanningTrouble;
  /** The declared cost of all nodes that earlier steps began. */
  cost?: number;
  /** Consecutive replies of the model without a step. The loop fails if they reach `attempts`. */
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
/** Maximum number of steps that a report names, for finished and failed steps each. The query `nodes` returns all. */
export const MAX_STEPS_NAMED = 50;

/**
 * @bound results of earlier steps that a loop without a result of its own returns @beyond the newest remain;
 * `planwright result RUN --node step_3` reads the others
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

const MAX_FAILURES = 16;
const MAX_FAILURE = 500;

const MAX_MESSAGE = 2000;
