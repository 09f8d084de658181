/** An agent's task as its own run, in which a model decides one step at a time. */

import type { RunResult } from '../protocol/index.ts';
import { openTask } from './run/index.ts';
import { carryRun } from './carry-run.ts';

/**
 * Runs the task of one node as a child of that node's run. Each step above read is a plan with its own digest, and
 * waits for people like any plan. Fails with `PlanFailed` (no-result) or `IterationLimit`.
 * @example { "goal": "Compare", "plan": { "task": "Find sources", "agent": "researcher" } } // a plan that starts one
 */
export function agentWorkflow(input: unknown): Promise<RunResult> {
  return carryRun(input, openTask);
}
