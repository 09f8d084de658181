/** An agent's task: a run of its own in which a model decides one step after the other. */

import type { RunResult } from '../protocol/index.ts';
import { openTask } from './run/index.ts';
import { carryRun } from './carry-run.ts';

/**
 * Carries out the task of one node, as the child of the run whose node it is. Its steps above read are plans of their
 * own, each with its own digest, which wait for people as any plan does. Fails with `PlanFailed` (no-result) or
 * `IterationLimit`.
 * @example { "goal": "Compare", "plan": { "task": "Find sources", "agent": "researcher" } } // a plan that starts one
 */
export function agentWorkflow(input: unknown): Promise<RunResult> {
  return carryRun(input, openTask);
}
