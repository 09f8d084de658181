/** Reports and asks about everything that waits for a person while the run goes on. */

import type { OpenItem, RunStatus } from '../../protocol/index.ts';
import { toOperationError } from '../../operations/index.ts';
import { askDecision, speakerOf, type SpeakerOptions } from '../reading/index.ts';
import { openLines, type Change, type Live } from '../view/index.ts';
import type { Shell } from '../define-command.ts';
import type { PlanBoard } from './approve-at-once.ts';

/** The abort reason when the person leaves the run waiting. */
export const LEFT = new Error('the person has left the run waiting');

export interface RunPrompts {
  /** Aborted when the person leaves (LEFT), or with the error of a decision. */
  readonly over: AbortSignal;
  /** Reports each item once, asks for an approval, and withdraws questions that are settled. */
  onChange(change: Change): void;
  /** Shows the plan made from a goal, once. */
  showPlan(status: RunStatus | undefined): void;
  /** Withdraws every open question. */
  close(): void;
}

const TAKEN_NOTE_OF: ReadonlySet<string> = new Set(['STALE', 'RUN_CLOSED', 'REFUSED']);

export function createPrompts(
  workflowId: string,
  board: PlanBoard,
  options: SpeakerOptions,
  view: Pick<Live, 'hold' | 'note'>,
  { output, flags, perform }: Shell,
): RunPrompts {
  const over = new AbortController();
  const questions = new Map<string, AbortController>();
  return {
    over: over.signal,
    onChange(change) {
      if (change.change === 'over') questions.get(change.key)?.abort();
      if (change.change !== 'open') return;
      const { item } = change;
      const isAsked = output.canAsk && item.send.name === 'approve';
      // A person is asked only about a plan that was shown.
      if (item.kind !== 'approval' || board.has(item.digest)) view.note(openLines(item, flags));
      else if (!isAsked) tellShown(item).catch((error: unknown) => over.abort(error));
      if (!isAsked) return;
      const back = new AbortController();
      questions.set(change.key, back);
      ask(item, back.signal).catch((error: unknown) => over.abort(error));
    },
    showPlan(status) {
      // Steps of a loop are reported as steps.
      if (status === undefined || status.digest === '' || status.loop !== undefined) return;
      if (board.has(status.digest)) return;
      board.show(status.digest, workflowId).catch((error: unknown) => {
        // The next view tries a worker that cannot answer now.
        const { code } = toOperationError(error);
        if (code !== 'NO_WORKER' && code !== 'NO_SERVER') over.abort(error);
      });
    },
    close() {
      for (const back of questions.values()) back.abort();
    },
  };

  async function ask(item: OpenItem, back: AbortSignal): Promise<void> {
    const isNew = !board.has(item.digest);
    if (!(await board.show(item.digest, item.workflowId))) return;
    if (isNew) view.note(openLines(item, flags));
    if (back.aborted) return;
    // Not all effects were shown: the question stays open, and the command that shows all is above.
    if (item.leftOut !== undefined) return;
    view.hold(true);
    try {
      const roles = options.role === undefined ? item.roles : undefined;
      const chosen = await askDecision('Run this plan?', { roles, over: back });
      if (back.aborted) return;
      if (chosen === 'leave') over.abort(LEFT);
      else {
        // The agent's own run takes the decision on its plan.
        const { workflowId: asking, digest } = item;
        const { kind } = chosen;
        const answer = await perform('decide', {
          workflowId: asking,
          kind,
          digest,
          ...speakerOf({ ...options, ...chosen }),
        });
        output.note(answer.reply);
      }
    } catch (error) {
      // Somebody else was faster, or has to decide; the run goes on.
      const failure = toOperationError(error);
      if (!TAKEN_NOTE_OF.has(failure.code)) throw error;
      output.note(failure.message);
    } finally {
      view.hold(false);
    }
  }

  async function tellShown(item: OpenItem): Promise<void> {
    if (await board.show(item.digest, item.workflowId)) view.note(openLines(item, flags));
  }
}
