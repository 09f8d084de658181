/** What `planwright run` tells and asks about whatever waits for a person, while the run goes on. */

import { openChanges, openKey } from '../../../follow/index.ts';
import type { OpenItem } from '../../../contract/index.ts';
import type { Output } from '../../../terminal/index.ts';
import { toCliError } from '../../cli-error.ts';
import type { GlobalOptions } from '../../global-options.ts';
import { askDecision, decisionOf, type DecisionOptions } from '../../reading/index.ts';
import { connectionFlags, openLines, type ProgressView } from '../../showing/index.ts';
import { tell } from '../decide.ts';
import type { Begun } from './approve-at-once.ts';

/** Why the watch is over when the person leaves the run waiting. */
export const LEFT = new Error('the person has left the run waiting');

export interface Prompts {
  /** Aborted when the person leaves, with LEFT, or when a decision goes wrong, with what went wrong. */
  readonly over: AbortSignal;
  /** Tells each item once, asks about an approval, and takes back what was asked about one that waits no more. */
  update(open: readonly OpenItem[]): void;
  /** Takes back whatever is still asked. */
  close(): void;
}

const QUESTION = 'Run this plan?';

export function createPrompts(
  { run, plan }: Begun,
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
        view.note(openLines(item, flags));
        if (!output.canAsk || item.send.name !== 'approve') continue;
        const back = new AbortController();
        asked.set(openKey(item), back);
        ask(item, back.signal).catch((error: unknown) => over.abort(error));
      }
    },
    close() {
      for (const back of asked.values()) back.abort();
    },
  };

  async function ask(item: OpenItem, back: AbortSignal): Promise<void> {
    if (item.digest !== plan.digest && !(await showEdited(item))) return;
    if (back.aborted) return;
    view.hold(true);
    try {
      const chosen = await askDecision(QUESTION, 'approve', back);
      if (back.aborted) return;
      if (chosen === 'leave') over.abort(LEFT);
      else output.note(await tell(run, decisionOf(chosen, options, item.digest), output));
    } catch (error) {
      // Somebody else was faster; the run goes on as they decided.
      const known = toCliError(error);
      if (known.code !== 'STALE' && known.code !== 'RUN_CLOSED') throw error;
      output.note(known.message);
    } finally {
      view.hold(false);
    }
  }

  /** Nobody is asked about a plan that was not shown. */
  async function showEdited({ digest }: OpenItem): Promise<boolean> {
    const shown = await run.plan();
    // Another edit has come meanwhile; it is open by itself.
    if (shown.digest !== digest) return false;
    view.note(`${shown.text.trimEnd()}\n\ndigest ${digest}`);
    return true;
  }
}
