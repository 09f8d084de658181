/** The approval of a plan by the one who starts it. */

import { setTimeout as pause } from 'node:timers/promises';
import type { RunEnd, RunHandle } from '../../../edge/client/index.ts';
import type { CompiledPlan } from '../../../language/plan/index.ts';
import type { Output } from '../../terminal/index.ts';
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
export const COMPILED_MS = 10_000;
const COMPILE_PAUSE_MS = 50;

/** For a worker of which it is known that it does not answer: what is said is left with the server at once. */
const NOBODY_MS = 1;

/**
 * Says it once the plan is compiled, so that a refusal is told here; without a worker, and when the time is up, it is left
 * with the server, which keeps it. Gives how the run ended where there is nothing to approve any more: the worker has
 * refused its plan, for one.
 */
export async function approveAtOnce(
  { run, plan }: Required<Pick<Begun, 'run' | 'plan'>>,
  options: DecisionOptions,
  output: Output,
  withinMs = COMPILED_MS,
): Promise<RunEnd | undefined> {
  const decision = decisionOf('approve', options, plan.digest);
  const until = Date.now() + Math.min(withinMs, COMPILED_MS);
  const isHeard = await compiled(run, until);
  const answerMs = isHeard ? Math.max(NOBODY_MS, until - Date.now()) : NOBODY_MS;
  try {
    output.note(
      `approve ${plan.digest.slice(0, 8)} as ${decision.by}: ${await tell(run, decision, output, { answerMs })}`,
    );
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

/** Whether somebody answers; if not, what is said now waits for the worker beside the plan. */
export async function compiled(run: RunHandle, until: number): Promise<boolean> {
  for (;;) {
    const left = Math.max(0, until - Date.now());
    const over = pause(left).then(() => undefined);
    const status = await Promise.race([run.status().catch(() => undefined), over]);
    if (status?.phase !== 'drafting' || left === 0) return status !== undefined;
    await pause(COMPILE_PAUSE_MS);
  }
}
