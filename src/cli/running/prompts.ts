import { given, type OpenItem, type RunStatus } from '../../protocol/index.ts';
import { toOperationError } from '../../operations/index.ts';
import { askDecision, speakerOf, type SpeakerOptions } from '../reading/index.ts';
import { commandLines, openLines, type Change, type Live } from '../view/index.ts';
import type { Shell } from '../define-command.ts';
import type { PlanBoard } from './approve-at-once.ts';

export const LEFT = new Error('the person has left the run waiting');

export interface RunPrompts {
  /** Aborts when no more questions are asked: with LEFT if the person leaves, or with the error of a decision. */
  readonly over: AbortSignal;
  /** Prints each open item once, asks for approvals, and withdraws questions that others have answered. */
  onChange(change: Change): void;
  showPlan(status: RunStatus | undefined): void;
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
  // Questions are asked one at a time, so that a key press can only answer the one on the screen.
  let lastAsked: Promise<void> = Promise.resolve();
  return {
    over: over.signal,
    onChange(change) {
      if (change.change === 'over') questions.get(change.key)?.abort();
      if (change.change !== 'open') return;
      const { item } = change;
      const isAsked = output.canAsk && item.send.name === 'approve';
      // If the plan is not on the screen yet, shows it before the item.
      if (item.kind !== 'approval' || board.has(item.digest)) view.note(openLines(item, flags));
      else if (!isAsked) tellShown(item).catch((error: unknown) => over.abort(error));
      if (!isAsked) return;
      const back = new AbortController();
      questions.set(change.key, back);
      lastAsked = lastAsked.then(() => ask(item, back.signal)).catch((error: unknown) => over.abort(error));
    },
    showPlan(status) {
      if (status === undefined || status.digest === '' || status.loop !== undefined) return;
      if (board.has(status.digest)) return;
      board.show(status.digest, workflowId).catch((error: unknown) => {
        // If no worker answers now, the next view tries again.
        const { code } = toOperationError(error);
        if (code !== 'NO_WORKER' && code !== 'NO_SERVER') over.abort(error);
      });
    },
    close() {
      for (const back of questions.values()) back.abort();
    },
  };

  async function ask(item: OpenItem, back: AbortSignal): Promise<void> {
    if (back.aborted || over.signal.aborted) return;
    const isNew = !board.has(item.digest);
    if (!(await board.show(item.digest, item.workflowId))) return;
    if (isNew) view.note(openLines(item, flags));
    if (back.aborted) return;
    // The card does not show all effects, so the person must type the printed command.
    if (item.leftOut !== undefined) return;
    view.hold(true);
    try {
      const roles = options.role === undefined ? item.roles : undefined;
      const chosen = await askDecision('Run this plan?', { roles, over: back });
      if (back.aborted) return;
      if (chosen === 'leave') {
        for (const line of commandLines('approve it later with', item, flags)) output.note(line);
        over.abort(LEFT);
      } else {
        // An agent's question is answered in the agent's own run.
        const { workflowId: asking, digest } = item;
        const { kind } = chosen;
        const answer = await perform('decide', {
          workflowId: asking,
          kind,
          digest,
          ...given({ shown: item.shown }),
          ...speakerOf({ ...options, ...chosen }),
        });
        output.note(answer.reply);
      }
    } catch (error) {
      // Only notes that somebody else has decided or must decide, since the run continues.
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
