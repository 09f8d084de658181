/** Tells the reason of a wait that would otherwise be silent. */

import type { RunHandle } from '../client/index.ts';
import { followRun, NO_VIEW, openKey, type FollowOptions, type RunView } from '../client/follow/index.ts';
import type { Output } from './terminal/index.ts';
import { openLines } from './view/index.ts';
import { workLines } from '../operations/words/index.ts';

interface Telling {
  /** Connection flags, for the commands that are told. */
  readonly flags: string;
  readonly output: Output;
  readonly server: FollowOptions['server'];
}

/** A person who has the answer by then is told nothing, and no worker is asked anything. */
const QUIET_MS = 1500;
/** A worker that is there has answered by then. */
const ANSWER_MS = 1000;
/** A person does not watch here, and each question costs the worker a workflow task. */
const ASK_EVERY_MS = 2000;

/**
 * While the work goes on says on stderr what the run stands at or waits for: within 3 s, and again whenever that is
 * something else.
 */
export async function tellWaiting<T>(run: RunHandle, telling: Telling, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(() => {
    // Trouble that keeps the run from being followed keeps the work from its end as well, and the work tells it.
    tell(run, telling, over.signal).catch(() => {});
  }, QUIET_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

async function tell(run: RunHandle, { flags, output, server }: Telling, signal: AbortSignal): Promise<void> {
  let told = '';
  const speak = (view: RunView) => {
    const { trouble, status, open } = view;
    const what = JSON.stringify([trouble?.message, status?.phase, open.map(openKey)]);
    if (what === told || signal.aborted) return;
    told = what;
    output.note(`waiting for run ${run.workflowId}: ${standingOf(view)}`);
    if (trouble === undefined) for (const item of open) output.note(openLines(item, flags));
  };
  const timer = setTimeout(speak, ANSWER_MS, NO_VIEW);
  for await (const view of followRun(run, { signal, server, everyMs: ASK_EVERY_MS })) {
    clearTimeout(timer);
    if (view.end === undefined) speak(view);
  }
}

function standingOf({ trouble, status, open }: RunView): string {
  if (trouble !== undefined) return trouble.message;
  if (status === undefined) return 'it has not answered yet';
  const { phase, counts } = status;
  const now = workLines(status).map((line) => `, ${line}`);
  const ended = counts.total - counts.pending - counts.running - counts.waiting;
  const done = counts.total === 0 ? '' : `, ${ended} of ${counts.total} nodes ended`;
  return `${phase}${now.join('')}${done}${open.length === 0 ? '' : ', and it waits for a person'}`;
}
