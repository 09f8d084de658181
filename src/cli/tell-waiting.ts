/** Tells the reason of a wait that would otherwise be silent. */

import type { RunHandle } from '../client/index.ts';
import type { Output } from './terminal/index.ts';
import { changeText, createChanges, type Change } from './view/index.ts';

interface Telling {
  /** Connection flags, for the commands that are told. */
  readonly flags: string;
  readonly output: Output;
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

async function tell(run: RunHandle, { flags, output }: Telling, signal: AbortSignal): Promise<void> {
  const newIn = createChanges();
  const note = (what: string) => output.note(`waiting for run ${run.workflowId}: ${what}`);
  const timer = setTimeout(note, ANSWER_MS, 'it has not answered yet');
  for await (const view of run.follow({ signal, everyMs: ASK_EVERY_MS })) {
    clearTimeout(timer);
    if (view.end !== undefined || signal.aborted) continue;
    for (const change of newIn(view)) {
      const text = changeText(change, { ...output, status: view.status, flags });
      if (change.change === 'open') output.note(text);
      else if (change.change === 'note') note(change.text);
      else if (TOLD.has(change.change)) note(text);
    }
  }
}

/** Where the run stands; its nodes are not told. */
const TOLD: ReadonlySet<Change['change']> = new Set(['phase', 'planning', 'replanned', 'edited', 'step']);
