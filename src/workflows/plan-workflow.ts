/** Runs a plan, from its document or a goal to its result. */

import type { RunResult } from '../protocol/index.ts';
import { openPlanRun, openTaskRun } from './run/index.ts';
import { runLoop } from './run-loop.ts';

/**
 * Runs a plan. Input `{ goal?, plan?, ref?, options? }`; see docs/runs.md.
 * Fails with `InvalidInput`, `InvalidPlan`, `PlanFailed` or `IterationLimit`; every other end is in `outcome`.
 * @example await client.workflow.start('planWorkflow', { taskQueue: 'planwright', workflowId: 'plan-1', args: [plan] });
 */
export function planWorkflow(input: unknown): Promise<RunResult> {
  return runLoop(input, openPlanRun);
}

/**
 * Runs the task of one node as a child of that node's run. Each step above read is a plan with its own digest, and
 * waits for people like any plan. Fails with `PlanFailed` (no-result) or `IterationLimit`.
 * @example compilePlan({ goal: 'Compare', plan: { type: 'task', task: 'Find sources', agent: 'researcher' } }); // starts one
 */
export function agentWorkflow(input: unknown): Promise<RunResult> {
  return runLoop(input, openTaskRun);
}
