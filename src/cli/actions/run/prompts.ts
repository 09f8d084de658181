/** What `planwright run` tells and asks about whatever waits for a person, while the run goes on. */

import type { RunHandle } from '../../../edge/client/index.ts';
import { openChanges, openKey } from '../../../edge/client/follow/index.ts';
import type { OpenItem, RunStatus } from '../../../wire/contract/index.ts';
import type { Output } from '../../terminal/index.ts';
import { toCliError } from '../../cli-error.ts';
import type { GlobalOptions } from '../../global-options.ts';
import { askDecision, decisionOf, type DecisionOptions } from '../../reading/index.ts';
import { connectionFlags, openLines, type ProgressView } from '../../showing/index.ts';
import { tell } from '../decide.ts';
import type { PlanBoard } from './plan-board.ts';

/** Why the watch is over when the person leaves the run waiting. */
export const LEFT = new Error('the person has left the run waiting');

export interface Prompts {
  /** Aborted when the person leaves, with LEFT, or when a decision goes wrong, with what went wrong. */
  readonly over: AbortSignal;
  /** Tells each item once, asks about an approval, and takes back what was asked about one that waits no more. */
  update(open: readonly OpenItem[]): void;
  /** Shows the plan that a goal has become, once, whether it is to be decided or runs already. */
  showPlan(status: RunStatus | undefined): void;
  /** Takes back whatever is still asked. */
  close(): void;
}

const QUESTION = 'Run this plan?';
const TAKEN_NOTE_OF: ReadonlySet<string> = new Set(['STALE', 'RUN_CLOSED', 'REFUSED']);

export function createPrompts(
  run: RunHandle,
  board: PlanBoard,
  options: DecisionOptions & GlobalOptions,
  view: ProgressView,
  output: Output,
): Prompts {
  const over = new AbortController();
  const asked = new Map<string, AbortController>();
  const flags = connectionFlags(options);
  let before: readonly OpenItem[] = [];
  return {
    over: over.signal,
    update(open) {
      const { opened, closed } = openChanges(before, open);
      before = open;
      for (const item of closed) asked.get(openKey(item))?.abort();
      for (const item of opened) {
        const isAsked = output.canAsk && item.send.name === 'approve';
        // Nobody is asked about a plan that was not shown.
        if (item.kind !== 'approval' || board.has(item.digest)) view.note(openLines(item, flags));
        else if (!isAsked) tellShown(item).catch((error: unknown) => over.abort(error));
        if (!isAsked) continue;
        const back = new AbortController();
        asked.set(openKey(item), back);
        ask(item, back.signal).catch((error: unknown) => over.abort(error));
      }
    },
    showPlan(status) {
      // The steps of a loop are told as steps.
      if (status === undefined || status.digest === '' || status.loop !== undefined) return;
      if (board.has(status.digest)) return;
      board.show(status.digest, run).catch((error: unknown) => {
        // Whoever cannot tell it now is asked again, with the next view.
        const { code } = toCliError(error);
        if (code !== 'NO_WORKER' && code !== 'NO_SERVER') over.abort(error);
      });
    },
    close() {
      for (const back of asked.values()) back.abort();
    },
  };

  async function ask(item: OpenItem, back: AbortSignal): Promise<void> {
    const isNew = !board.has(item.digest);
    const of = runOf(item);
    if (!(await board.show(item.digest, of))) return;
    if (isNew) view.note(openLines(item, flags));
    if (back.aborted) return;
    view.hold(true);
    try {
      const roles = options.role === undefined ? item.roles : undefined;
      const chosen = await askDecision(QUESTION, { roles, over: back });
      if (back.aborted) return;
      if (chosen === 'leave') over.abort(LEFT);
      else output.note(await tell(of, decisionOf(chosen.kind, { ...options, ...chosen }, item.digest), output));
    } catch (error) {
      // Somebody else was faster, or has to say it; the run goes on.
      const known = toCliError(error);
      if (!TAKEN_NOTE_OF.has(known.code)) throw error;
      output.note(known.message);
    } finally {
      view.hold(false);
    }
  }

  async function tellShown(item: OpenItem): Promise<void> {
    if (await board.show(item.digest, runOf(item))) view.note(openLines(item, flags));
  }

  /** What waits in an agent is said to the agent's own run. */
  function runOf({ workflowId }: OpenItem): RunHandle {
    return workflowId === run.workflowId ? run : run.child(workflowId);
  }
}
