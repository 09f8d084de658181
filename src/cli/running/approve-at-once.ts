/** The approval of a plan by the one who starts it. */

import { setTimeout as pause } from 'node:timers/promises';
import type { RunHandle } from '../../client/index.ts';
import { visible } from '../../plan/text/index.ts';
import type { RunStatus } from '../../protocol/index.ts';
import { toOperationError } from '../../operations/index.ts';
import { speakerOf, type SpeakerOptions } from '../reading/index.ts';
import type { Shell } from '../define-command.ts';

/** Compiling the largest plan takes about a second. */
export const COMPILED_MS = 10_000;
const COMPILE_PAUSE_MS = 50;

const IN_ADVANCE = 'in advance, by --approve or --yes';

/** For a worker of which it is known that it does not answer: what is said is left with the server at once. */
const NOBODY_MS = 1;
const NOTHING = { open: [] };

/**
 * Says it once the plan is compiled, so that a refusal is told here; without a worker, and when the time is up, it is left
 * with the server, which keeps it. True where the run has ended and there is nothing to approve any more: the worker has
 * refused its plan, for one.
 */
export async function approveAtOnce(
  digest: string,
  run: RunHandle,
  options: SpeakerOptions,
  { output, perform }: Shell,
  withinMs = COMPILED_MS,
): Promise<boolean> {
  // The audit tells an approval in advance from that of a person who was asked.
  const speaker = { comment: IN_ADVANCE, ...speakerOf(options) };
  const until = Date.now() + Math.min(withinMs, COMPILED_MS);
  const isHeard = await compiled(run, until);
  const { open } = isHeard ? await run.view(['open']).catch(() => NOTHING) : NOTHING;
  // Nobody is asked, and so nobody reads the question's warning.
  const { warning } = open.find((item) => item.kind === 'approval' && item.digest === digest) ?? {};
  if (warning !== undefined) output.note(`${output.paint('yellow', 'warning')}: ${visible(warning, { lines: true })}`);
  const answerMs = isHeard ? Math.max(NOBODY_MS, until - Date.now()) : NOBODY_MS;
  try {
    const { workflowId } = run;
    const { reply } = await perform('decide', { workflowId, kind: 'approve', digest, ...speaker, answerMs });
    output.note(`approve ${digest.slice(0, 8)} as ${speaker.by}: ${reply}`);
  } catch (error) {
    const { code } = toOperationError(error);
    const status = code === 'STALE' ? undefined : await statusOf(run);
    const isDone = status?.outcome === 'done';
    if (code === 'RUN_CLOSED' && !isDone) return true;
    // A plan that waits for nobody runs already; asking for its approval as well is no mistake.
    if (status?.phase !== 'running' && !isDone) throw error;
    output.note('the plan asks for no approval');
  }
  return false;
}

/** Whether somebody answers; if not, what is said now waits for the worker beside the plan. */
export async function compiled(run: RunHandle, until: number): Promise<boolean> {
  for (;;) {
    const left = Math.max(0, until - Date.now());
    const over = pause(left).then(() => undefined);
    const status = await Promise.race([statusOf(run), over]);
    if (status?.phase !== 'drafting' || left === 0) return status !== undefined;
    await pause(COMPILE_PAUSE_MS);
  }
}

async function statusOf(run: RunHandle): Promise<RunStatus | undefined> {
  return (await run.view(['status']).catch(() => undefined))?.status;
}
