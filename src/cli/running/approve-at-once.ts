import { setTimeout as pause } from 'node:timers/promises';
import type { RunHandle } from '../../client/index.ts';
import { visible } from '../../plan/text/index.ts';
import { given, type RunStatus } from '../../protocol/index.ts';
import { toOperationError } from '../../operations/index.ts';
import { speakerOf, type SpeakerOptions } from '../reading/index.ts';
import type { Shell } from '../define-command.ts';
import type { CompiledPlan } from '../../plan/index.ts';
import { changesText, openPlanText } from '../plan-text.ts';

/** Maximum time in ms to wait until the plan is compiled. The largest plan takes about a second. */
export const COMPILED_MS = 10_000;
const COMPILE_PAUSE_MS = 50;

const IN_ADVANCE = 'in advance, by --approve or --yes';

/** Time in ms to wait for an answer if no worker runs. The server stores the message in any case. */
const NOBODY_MS = 1;
const NOTHING = { open: [] };

/**
 * Approves the plan as soon as it is compiled, so that this command can report a rejection. If no worker answers in
 * time, the server stores the approval.
 * @returns true if the run ended before that, for example with an invalid plan
 */
export async function approveAtOnce(
  digest: string,
  run: RunHandle,
  options: SpeakerOptions,
  { output, perform }: Shell,
  withinMs = COMPILED_MS,
): Promise<boolean> {
  // The comment distinguishes this approval in the audit from an approval by a person who was asked.
  const speaker = { comment: IN_ADVANCE, ...speakerOf(options) };
  const until = Date.now() + Math.min(withinMs, COMPILED_MS);
  const isHeard = await compiled(run, until);
  const { open } = isHeard ? await run.view(['open']).catch(() => NOTHING) : NOTHING;
  // Prints the approval's warning, since no question will show it.
  const { warning, shown } = open.find((item) => item.kind === 'approval' && item.digest === digest) ?? {};
  if (warning !== undefined) output.note(`${output.paint('yellow', 'warning')}: ${visible(warning, { lines: true })}`);
  const answerMs = isHeard ? Math.max(NOBODY_MS, until - Date.now()) : NOBODY_MS;
  try {
    const { workflowId } = run;
    const approval = { workflowId, kind: 'approve' as const, digest, ...given({ shown }) };
    const { reply } = await perform('decide', { ...approval, ...speaker, answerMs });
    output.note(`approve ${digest.slice(0, 8)} as ${speaker.by}: ${reply}`);
  } catch (error) {
    const { code } = toOperationError(error);
    const status = code === 'STALE' ? undefined : await statusOf(run);
    const isDone = status?.outcome === 'done';
    if (code === 'RUN_CLOSED' && !isDone) return true;
    // If the plan needed no approval and already runs, that is no failure.
    if (status?.phase !== 'running' && !isDone) throw error;
    output.note('the plan asks for no approval');
  }
  return false;
}

/** Waits until the plan is compiled. @returns false if no worker answered */
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

export interface PlanBoard {
  has(digest: string): boolean;
  show(digest: string, workflowId: string): Promise<boolean>;
}

/** Shows each plan once. @param shownBefore the plan that was shown first */
export function createPlanBoard(
  note: (text: string) => void,
  { output, perform }: Pick<Shell, 'output' | 'perform'>,
  shownBefore?: CompiledPlan,
): PlanBoard {
  const digests = new Set(shownBefore === undefined ? [] : [shownBefore.digest]);
  let before = shownBefore;
  const underWay = new Map<string, Promise<boolean>>();
  return {
    has: (digest) => digests.has(digest),
    async show(digest, workflowId) {
      if (digests.has(digest)) return true;
      const showing = underWay.get(digest) ?? look(digest, workflowId);
      underWay.set(digest, showing);
      return showing.finally(() => underWay.delete(digest));
    },
  };

  async function look(digest: string, workflowId: string): Promise<boolean> {
    const open = await perform('shown', { workflowId });
    if (open.digest !== digest) return false;
    digests.add(digest);
    const changes = changesText(before, open.plan, output);
    before = open.plan ?? before;
    note([openPlanText(open, output), ...changes].join('\n\n'));
    return true;
  }
}
