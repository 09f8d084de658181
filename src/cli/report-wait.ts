/** Reports what a run waits for during an otherwise silent wait. */

import type { RunHandle } from '../client/index.ts';
import type { Output } from './terminal/index.ts';
import { changeText, createChanges, type Change } from './view/index.ts';

interface Telling {
  /** Connection flags for commands in the lines. */
  readonly flags: string;
  readonly output: Output;
}

/** A wait that ends sooner prints nothing and asks no worker. */
const QUIET_MS = 1500;
/** A worker that is up answers within this time. */
const ANSWER_MS = 1000;
/** Nobody watches here, and each query costs the worker a workflow task. */
const ASK_EVERY_MS = 2000;

/** While `work` runs, prints the run's state or wait on stderr: within 3 s, and again after each change. */
export async function reportWait<T>(run: RunHandle, telling: Telling, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(() => {
    // If the run cannot be followed, `work` fails for the same reason and reports it.
    follow(run, telling, over.signal).catch(() => {});
  }, QUIET_MS);
  try {
    return await work;
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

async function follow(run: RunHandle, { flags, output }: Telling, signal: AbortSignal): Promise<void> {
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

/** Nodes are not reported. */
const TOLD: ReadonlySet<Change['change']> = new Set(['phase', 'planning', 'replanned', 'edited', 'step']);
