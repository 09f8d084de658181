/** The approval of a plan by the one who starts it. */

import type { RunEnd, RunHandle } from '../../../client/index.ts';
import type { CompiledPlan } from '../../../plan/index.ts';
import type { Output } from '../../../terminal/index.ts';
import { toCliError } from '../../cli-error.ts';
import { decisionOf, type DecisionOptions } from '../../reading/index.ts';
import { tell } from '../decide.ts';

export interface Begun {
  readonly run: RunHandle;
  /** Absent while a goal has yet to become one. */
  readonly plan?: CompiledPlan;
  /** False where the plan has yet to be shown to whoever is asked about it. */
  readonly isShown?: boolean;
}

/** Compiling the largest plan takes about a second. */
const COMPILED_MS = 10_000;
const COMPILE_PAUSE_MS = 50;

/**
 * Says it once the plan is compiled, so that a refusal is told here; without a worker it is kept until then.
 * Gives how the run ended where there is nothing to approve any more: the worker has refused its plan, for one.
 */
export async function approveAtOnce(
  { run, plan }: Required<Pick<Begun, 'run' | 'plan'>>,
  options: DecisionOptions,
  output: Output,
): Promise<RunEnd | undefined> {
  const decision = decisionOf('approve', options, plan.digest);
  await compiled(run);
  try {
    output.note(`approve ${plan.digest.slice(0, 8)} as ${decision.by}: ${await tell(run, decision, output)}`);
  } catch (error) {
    const { code } = toCliError(error);
    const status = code === 'STALE' ? undefined : await run.status().catch(() => undefined);
    const isDone = status?.outcome === 'done';
    if (code === 'RUN_CLOSED' && !isDone) return run.end();
    // A plan that waits for nobody runs already; asking for its approval as well is no mistake.
    if (status?.phase !== 'running' && !isDone) throw error;
    output.note('the plan asks for no approval');
  }
  return undefined;
}

async function compiled(run: RunHandle): Promise<void> {
  const deadline = Date.now() + COMPILED_MS;
  while (Date.now() < deadline) {
    const status = await run.status().catch(() => undefined);
    // Nobody answers: what is said now waits for the worker beside the plan.
    if (status === undefined || status.phase !== 'drafting') return;
    await new Promise((resolve) => setTimeout(resolve, COMPILE_PAUSE_MS));
  }
}
