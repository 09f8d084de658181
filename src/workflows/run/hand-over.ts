/** How a run is handed to the history in which it goes on, step by step. Pure: the workflow does what each step says. */

import { pagesOf, type Arrival, type Carried, type Resume } from '../../protocol/index.ts';
import { byteLength } from '../../plan/text/index.ts';
import { fewAfter, type Incoming } from './arrive.ts';
import type { Run } from './run.ts';
import type { Stored } from './arrive.ts';
import { snapshotOf, SNAPSHOT_VERSION } from './snapshot.ts';
import { pagesToStore } from './trace.ts';

/** Shorter texts travel in the input of the new history. In UTF-16 code units. */
const INLINE = 64 * 1024;

/**
 * Messages that arrived while the snapshot was stored travel beside it, up to so many bytes of JSON: the server takes 2
 * MB in the input of a history.
 */
const MAX_LATE_BYTES = 512 * 1024;

/** `save`: pages for the store, whose references the next step is given. `pause`: the next workflow task, a timer's. */
export type HandOverStep = { readonly save: readonly string[] } | 'pause';

export type HandedOver =
  | { readonly resume: Resume }
  /** The run has to take something in first; the store has this much of it. */
  | { readonly stored: Stored };

/**
 * @param line what has arrived by now and no turn has taken in
 * @param inline what is longer goes into the store, in UTF-16 code units
 */
export function* handOver(
  run: Run,
  line: () => readonly Incoming[],
  inline: number = INLINE,
): Generator<HandOverStep, HandedOver, readonly string[]> {
  const { dialogue, execution } = run;
  const trace: { ref: string; last: number }[] = [];
  for (const page of pagesToStore(dialogue.trace, inline)) {
    const [ref = ''] = yield { save: [JSON.stringify(page)] };
    trace.push({ ref, last: page.at(-1)?.seq ?? 0 });
  }
  const slice =
    execution &&
    (execution.pages ? { pages: execution.pages } : yield* carried(JSON.stringify(execution.slice), inline));
  const stored: Stored = { trace, ...(slice && 'pages' in slice && { slice: slice.pages }) };
  const snapshot = yield* carried(snapshotOf(run, stored), inline);
  const late = yield* lull(line, run.hold.busy);
  if (late === undefined) return { stored };
  const { chain } = dialogue;
  const resume = {
    version: SNAPSHOT_VERSION,
    chain,
    snapshot,
    ...(slice && { slice }),
    ...(late.length > 0 && { late }),
  };
  return { resume };
}

function* carried(text: string, inline: number): Generator<HandOverStep, Carried, readonly string[]> {
  return text.length <= inline ? { text } : { pages: yield { save: pagesOf(text) } };
}

/**
 * If much has come while the snapshot was stored, the history ends with a later task, which brings little more than its
 * timer.
 * @returns what has arrived; undefined where it cannot go along: more than fits, or a cancellation, of which Temporal knows in
 *   this history alone
 */
function* lull(
  line: () => readonly Incoming[],
  busy = 0,
): Generator<HandOverStep, readonly Arrival[] | undefined, unknown> {
  let tasks = busy;
  for (let known = 0; ; yield 'pause') {
    // No work is under way: all of it comes from outside.
    const late = line() as readonly Arrival[];
    if (late.some(({ is }) => is === 'cancelled') || byteLength(JSON.stringify(late)) > MAX_LATE_BYTES)
      return undefined;
    if (late.length - known <= fewAfter(tasks++)) return late;
    known = late.length;
  }
}
