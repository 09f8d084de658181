/** A plan from its document, or from a goal, to its result. */

import type { RunResult } from '../contract/index.ts';
import { parsePlanInput, start, type Run } from '../run/index.ts';
import { carryRun } from './carry-run.ts';

/**
 * Runs a plan. Input `{ goal?, plan?, ref?, options? }`; see docs/runs.md.
 * Fails with `InvalidInput`, `InvalidPlan`, `PlanFailed` or `IterationLimit`; every other end is in `outcome`.
 * @example await client.workflow.start('planWorkflow', { taskQueue: 'planwright', workflowId: 'plan-1', args: [plan] });
 */
export function planWorkflow(input: unknown): Promise<RunResult> {
  return carryRun(input, readPlan);
}

function readPlan(run: Run, input: unknown): void {
  const parsed = parsePlanInput(input);
  if (parsed.ok) start(run, parsed.source, parsed.options);
  else {
    const { problems } = parsed;
    run.dialogue.failure = { type: 'InvalidInput', message: sentenceOf(problems), details: [{ problems }] };
  }
}

/** As many as a failure's message has room for. */
const PROBLEMS_TOLD = 5;

function sentenceOf(problems: readonly string[]): string {
  const more = problems.length - PROBLEMS_TOLD;
  const told = problems.slice(0, PROBLEMS_TOLD).join('; ');
  return more > 0 ? `${told}; and ${more} more lines of problems in the details` : told;
}
