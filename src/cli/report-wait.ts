import type { RunHandle } from '../client/index.ts';
import type { Output } from './terminal/index.ts';
import { changeText, createChanges, type Change } from './view/index.ts';

interface Telling {
  readonly flags: string;
  readonly output: Output;
}

/** Time in ms before the first report. Shorter waits print nothing and query no worker. */
const QUIET_MS = 1500;
const ANSWER_MS = 1000;
/** Pause between two queries in milliseconds. Each query costs the worker a workflow task. */
const ASK_EVERY_MS = 2000;

/** Prints the state of the run on stderr while `work` runs: within 3 s, and after each change. */
export async function reportWait<T>(run: RunHandle, telling: Telling, work: Promise<T>): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(() => {
    // If the run cannot be followed, `work` fails for the same reason, which is then reported.
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
      if (change.change === 'node' || UNREPORTED.has(change.change)) continue;
      const text = changeText(change, { ...output, status: view.status, flags });
      if (change.change === 'open') output.note(text);
      else note(change.change === 'note' ? change.text : text);
    }
  }
}

const UNREPORTED: ReadonlySet<Change['change']> = new Set(['attempt', 'feedback', 'over']);
