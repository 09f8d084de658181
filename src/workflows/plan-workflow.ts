/** A plan from its document to its result: compile, ask, run, end. */

import { condition, isCancellation, scheduleActivity, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { CompileReply, CompileRequest } from '../activities/index.ts';
import {
  closeRun,
  COMPILE_ACTIVITY,
  detailsOf,
  endingOf,
  isRecord,
  openRun,
  parsePlanInput,
  planCompiled,
  type Outcome,
  type PlanSource,
  type Run,
  type RunResult,
} from '../run/index.ts';
import { runFailureOf, toApplicationFailure, toRunFailure } from './failures.ts';
import { handleMessages } from './messages.ts';
import { now } from './now.ts';
import { runNodes } from './run-nodes.ts';

/** Compiling reads the store and writes to it; 10,000 nodes take well under a second. */
const COMPILE_BOUNDS = {
  startToCloseTimeout: '5 minutes',
  scheduleToCloseTimeout: '1 hour',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 4, initialInterval: '2 seconds', backoffCoefficient: 2 },
} as const;

/**
 * Runs a plan. Input `{ goal?, plan?, ref?, options? }`; see docs/runs.md.
 * Fails with `InvalidInput`, `InvalidPlan` or `PlanFailed`; every other end is in `outcome`.
 */
export async function planWorkflow(input: unknown): Promise<RunResult> {
  const run = openRun(workflowInfo().workflowId);
  handleMessages(run);
  try {
    await compile(run, readInput(run, input));
    await decided(run);
    if (run.approval.phase === 'running') await runNodes(run);
    return finish(run);
  } catch (error) {
    end(run, isCancellation(error) ? 'cancelled' : 'failed');
    throw toRunFailure(error);
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
  const { limits, context } = run.options;
  const request: CompileRequest = {
    source,
    ...(limits !== undefined && { limits }),
    ...(context !== undefined && { context }),
  };
  const reply: unknown = await compileActivity(request);
  if (!isCompileReply(reply)) throw new TypeError('the activity compilePlan was completed with what is no reply');
  if (!reply.ok) {
    const { issues } = reply;
    const first = issues[0];
    const message = `The plan has ${issues.length} problem${issues.length === 1 ? '' : 's'}. ${first?.path ?? ''}: ${first?.message ?? ''}`;
    throw toApplicationFailure({ type: 'InvalidPlan', message, details: [{ issues }] });
  }
  planCompiled(run, reply.slice, now());
  setCurrentDetails(detailsOf(run));
}

async function compileActivity(request: CompileRequest): Promise<CompileReply> {
  try {
    return await scheduleActivity<CompileReply>(COMPILE_ACTIVITY, [request], {
      activityId: 'compile',
      summary: 'Compile the plan',
      ...COMPILE_BOUNDS,
    });
  } catch (error) {
    throw runFailureOf(error);
  }
}

/** An activity can be completed from outside, with anything. */
function isCompileReply(value: unknown): value is CompileReply {
  return isRecord(value) && (value['ok'] === true ? isRecord(value['slice']) : Array.isArray(value['issues']));
}

/** Silence is refusal: without a decision before the deadline the run expires. */
async function decided(run: Run): Promise<void> {
  if (run.approval.phase !== 'awaiting-approval') return;
  const isDecided = () => run.approval.phase !== 'awaiting-approval';
  if (!(await condition(isDecided, run.options.approvalDeadlineMs))) end(run, 'expired');
}

function finish(run: Run): RunResult {
  const { outcome, digest, revision } = run.approval;
  if (outcome !== undefined) {
    setCurrentDetails(detailsOf(run));
    return { outcome, digest, revision };
  }
  const ending = endingOf(run);
  if (!ending.ok) throw toApplicationFailure(ending.failure);
  end(run, ending.outcome);
  return ending.result;
}

function end(run: Run, outcome: Outcome): void {
  closeRun(run, outcome, now());
  setCurrentDetails(detailsOf(run));
}
