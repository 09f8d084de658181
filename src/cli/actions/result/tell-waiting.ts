/** What a command waits for that would otherwise be silent. */

import { openKey, type RunView } from '../../../follow/index.ts';
import type { Output } from '../../../terminal/index.ts';
import { openLines } from '../../showing/index.ts';

export interface WaitingTold {
  tell(view: RunView): void;
  end(): void;
}

/** Who has what he wants by then is told nothing. */
const QUIET_MS = 1500;

/** After a moment says on stderr what the run stands at or waits for, and again whenever that is something else. */
export function tellWaiting(workflowId: string, flags: string, output: Output): WaitingTold {
  let latest: RunView = { nodes: [], open: [] };
  let told = '';
  let isQuiet = true;
  const timer = setTimeout(() => {
    isQuiet = false;
    speak();
  }, QUIET_MS);
  return {
    tell(view) {
      latest = view;
      speak();
    },
    end: () => clearTimeout(timer),
  };

  function speak(): void {
    if (isQuiet || latest.end !== undefined) return;
    const { trouble, status, open } = latest;
    const what = JSON.stringify([trouble?.message, status?.phase, open.map(openKey)]);
    if (what === told) return;
    told = what;
    output.note(`waiting for run ${workflowId}: ${standingOf(latest)}`);
    if (trouble === undefined) for (const item of open) output.note(openLines(item, flags));
  }
}

function standingOf({ trouble, status, open }: RunView): string {
  if (trouble !== undefined) return trouble.message;
  if (status === undefined) return 'it has not answered yet';
  const { phase, counts } = status;
  const ended = counts.total - counts.pending - counts.running - counts.waiting;
  const done = counts.total === 0 ? '' : `, ${ended} of ${counts.total} nodes ended`;
  return `${phase}${done}${open.length === 0 ? '' : ', and it waits for a person'}`;
}
