/** A plan from its document to its result: compile, ask, run, end. */

import {
  allHandlersFinished,
  CancellationScope,
  condition,
  isCancellation,
  setCurrentDetails,
  workflowInfo,
} from '@temporalio/workflow';
import type { CompileReply, CompileRequest } from '../activities/index.ts';
import {
  closedResult,
  closeRun,
  detailsOf,
  endingOf,
  hearEarly,
  openRun,
  parsePlanInput,
  planCompiled,
  type Outcome,
  type PlanSource,
  type Run,
  type RunResult,
} from '../run/index.ts';
import { problemsIn, runFailureOf, toApplicationFailure, toRunFailure } from './failures.ts';
import { createEar } from './hear.ts';
import { handleMessages } from './messages.ts';
import { now } from './now.ts';
import { compilePlan } from './reach.ts';
import { createRunner } from './run-nodes.ts';
import { showWaiting } from './waits-for.ts';

/**
 * Runs a plan. Input `{ goal?, plan?, ref?, options? }`; see docs/runs.md.
 * Fails with `InvalidInput`, `InvalidPlan` or `PlanFailed`; every other end is in `outcome`.
 */
export async function planWorkflow(input: unknown): Promise<RunResult> {
  const run = openRun(workflowInfo().workflowId);
  const runner = createRunner(run);
  const ear = createEar(run, runner.wake);
  handleMessages(run, ear);
  try {
    await compile(run, readInput(run, input));
    await runner.runToEnd(ear.isListening);
    return finish(run);
  } catch (error) {
    const failure = toRunFailure(error);
    end(run, isCancellation(error) ? 'cancelled' : 'failed', isCancellation(error) ? undefined : failure.message);
    throw failure;
  } finally {
    // Whoever said something gets an answer, also from a run that is being cancelled.
    await CancellationScope.nonCancellable(() => condition(allHandlersFinished));
  }
}

function readInput(run: Run, input: unknown): PlanSource {
  const parsed = parsePlanInput(input);
  if (!parsed.ok) {
    const { problems } = parsed;
    throw toApplicationFailure({ type: 'InvalidInput', message: problems.join('; '), details: [{ problems }] });
  }
  run.options = parsed.options;
  return parsed.source;
}

async function compile(run: Run, source: PlanSource): Promise<void> {
  setCurrentDetails(detailsOf(run));
  const { limits, context, approval } = run.options;
  const rules = typeof approval === 'string' ? [] : approval.rules;
  const ruleCapabilities = rules.flatMap(({ capability }) => capability ?? []);
  const reply = await compiled({
    source,
    ...(limits !== undefined && { limits }),
    ...(context !== undefined && { context }),
    ...(ruleCapabilities.length > 0 && { ruleCapabilities }),
  });
  if (!reply.ok) {
    const { issues } = reply;
    const message = `The plan has ${problemsIn(issues)}`;
    throw toApplicationFailure({ type: 'InvalidPlan', message, details: [{ issues }] });
  }
  const at = now();
  for (const decision of planCompiled(run, reply.slice, reply.project, at)) hearEarly(run, decision, at);
}

async function compiled(request: CompileRequest): Promise<CompileReply> {
  try {
    return await compilePlan(request);
  } catch (error) {
    throw runFailureOf(error);
  }
}

function finish(run: Run): RunResult {
  if (run.approval.outcome !== undefined) return closedResult(run);
  const ending = endingOf(run);
  if (!ending.ok) throw toApplicationFailure(ending.failure);
  end(run, ending.outcome);
  return ending.result;
}

function end(run: Run, outcome: Outcome, reason?: string): void {
  closeRun(run, outcome, now(), reason);
  showWaiting(run);
  setCurrentDetails(detailsOf(run));
}
