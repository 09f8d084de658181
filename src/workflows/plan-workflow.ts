import type { RunResult } from '../protocol/index.ts';
import { openPlanRun, openTaskRun } from './run/index.ts';
import { runLoop } from './run-loop.ts';

/**
 * Runs a plan. The input is `{ goal?, plan?, ref?, options? }`; docs/runs.md describes it. Fails with `InvalidInput`,
 * `InvalidPlan`, `PlanFailed` or `IterationLimit`. Any other end is the result's `outcome`.
 * @example await client.workflow.start('planWorkflow', { taskQueue: 'planwright', workflowId: 'plan-1', args: [plan] });
 */
export function planWorkflow(input: unknown): Promise<RunResult> {
  return runLoop(input, openPlanRun);
}

/**
 * Runs the task of an agent node, as a child workflow of that node's run. Each step with an effect is a plan with its
 * own digest and needs approval like any plan. Fails with `PlanFailed` (no-result) or `IterationLimit`.
 * @example compilePlan({ goal: 'Compare', plan: { type: 'task', task: 'Find sources', agent: 'researcher' } });
 */
export function agentWorkflow(input: unknown): Promise<RunResult> {
  return runLoop(input, openTaskRun);
}
