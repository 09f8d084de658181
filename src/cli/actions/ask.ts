/** The one question this program asks. Only for a person at a terminal. */

import type { DecisionKind } from '../../run/index.ts';
import { CliError } from '../cli-error.ts';

/** `over` takes the question back, which counts as `leave`. */
export async function askDecision(message: string, over?: AbortSignal): Promise<DecisionKind | 'leave'> {
  const { isCancel, select } = await import('@clack/prompts');
  // A signal of its own: aborting one that a prompt has listened to writes to the screen even after the answer.
  const back = new AbortController();
  const takeBack = () => back.abort();
  over?.addEventListener('abort', takeBack, { once: true });
  const answer = await select<DecisionKind | 'leave'>({
    message,
    options: [
      { value: 'approve', label: 'approve', hint: 'exactly this plan runs' },
      { value: 'reject', label: 'reject', hint: 'the run ends' },
      { value: 'leave', label: 'leave it waiting', hint: 'decide later' },
    ],
    output: process.stderr,
    signal: back.signal,
  });
  over?.removeEventListener('abort', takeBack);
  if (!isCancel(answer)) return answer;
  if (back.signal.aborted) return 'leave';
  throw new CliError('INTERRUPTED', 'interrupted; the run waits for a decision');
}
