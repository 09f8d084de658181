/** What a run hands over to its next history, and how that resumes. Pure. */

import { given, pagesOf, type Arrival, type Carried, type Resume, type RunSlice } from '../../protocol/index.ts';
import { byteLength } from '../../plan/text/index.ts';
import { arrive, fewAfter, type Incoming } from './arrive.ts';
import { openExecution, gateOf, openRun } from './run.ts';
import type { Run } from './in-memory.ts';
import { numbered } from './records.ts';
import { STATE_VERSION, type RunState, type Stored } from './state.ts';
import type { Verify } from './talk/authenticate.ts';
import { receive } from './talk/inbox.ts';
import { noteStored, pagesToStore, withoutStored } from './trace.ts';

/** UTF-16 code units. Longer texts go into the store, shorter ones into the input of the new history. */
const INLINE = 64 * 1024;

/**
 * Bytes of JSON for messages that came while the state was stored. They travel in the input, for which the server
 * accepts 2 MB.
 */
const MAX_LATE_BYTES = 512 * 1024;

/** What a run hands over: texts for the store, and the function that takes their references. */
export interface HandOver {
  /** At most 1 MiB of UTF-8 each. */
  readonly pages: readonly string[];
  /** @param refs of the pages, in order */
  stored(refs: readonly string[]): { readonly resume: Resume; readonly stored: Stored };
}

/** @param inline longer texts go into the store, in UTF-16 code units */
export function makeHandOver(run: Run, inline: number = INLINE): HandOver {
  const { dialogue, execution } = run;
  const { chain } = dialogue;
  const entries = pagesToStore(dialogue.trace, inline);
  const lasts = entries.map((page) => page.at(-1)?.seq ?? 0);
  const slice = execution && (execution.pages ? { pages: execution.pages } : carried(execution.slice, inline));
  const state = carried(stateOf(run, lasts.at(-1)), inline);
  const [ofSlice, ofState] = [slice, state].map((one) => (one && 'texts' in one ? one.texts : []));
  return {
    pages: [...entries.map((page) => JSON.stringify(page)), ...(ofSlice ?? []), ...(ofState ?? [])],
    stored(refs) {
      const rest = [...refs];
      const trace = lasts.map((last) => ({ ref: rest.shift() ?? '', last }));
      const taken = (one: Carried | Texts): Carried =>
        'texts' in one ? { pages: rest.splice(0, one.texts.length) } : one;
      const plan = slice && taken(slice);
      const resume = { version: STATE_VERSION, chain, state: taken(state), ...given({ slice: plan }) };
      return {
        resume: { ...resume, ...(trace.length > 0 && { trace }) },
        stored: { trace, ...(plan && 'pages' in plan && { slice: plan.pages }) },
      };
    },
  };
}

interface Texts {
  readonly texts: readonly string[];
}

function carried(value: unknown, inline: number): Carried | Texts {
  const text = JSON.stringify(value);
  return text.length <= inline ? { value } : { texts: pagesOf(text) };
}

/**
 * The same run gives the same bytes of JSON, also after it was resumed.
 * @param stored the last entry of its trace that is not part of the state
 */
export function stateOf(run: Run, stored = 0): RunState {
  const { dialogue, execution, work, begun } = run;
  const { gate: _, ...approval } = dialogue.approval;
  const kept = { ...dialogue, approval, trace: withoutStored(dialogue.trace, stored) };
  const carriedWork = Object.fromEntries([...numbered(work)].filter(([, { kind }]) => kind !== 'look'));
  if (execution === undefined) return { dialogue: kept, work: carriedWork, begun };
  const { slice: __, progress: ___, lanes: ____, pages: _____, ...nodes } = execution;
  return { dialogue: kept, nodes, work: carriedWork, begun };
}

/**
 * @param slice of the open plan; undefined if the run had none
 * @param from what travelled beside them: arrivals, pages of the trace, and the stored slice, which is not stored again
 * @throws Error if it is not the state of a run with this slice
 */
export function restoreRun(
  workflowId: string,
  { dialogue, nodes, work, begun }: RunState,
  slice: RunSlice | undefined,
  { late = [], trace = [], slice: from }: Pick<Resume, 'late' | 'trace' | 'slice'> = {},
): Run {
  if ((nodes === undefined) !== (slice === undefined))
    throw new TypeError('the state and its plan do not belong together');
  if (nodes?.status.length !== slice?.inputs.length) throw new TypeError('the state is of a plan with other nodes');
  noteStored(dialogue.trace, trace);
  const run: Run = {
    ...openRun(workflowId, dialogue.startedAt, work),
    dialogue: { ...dialogue, approval: { ...dialogue.approval, gate: slice && gateOf(dialogue, slice) } },
    execution: slice && {
      ...openExecution(slice, dialogue.options.concurrency, nodes),
      ...(from && 'pages' in from && { pages: from.pages }),
    },
    begun,
  };
  for (const one of late)
    if (one.is === undefined) receive(run, one);
    else arrive(run, one, UNPROVED);
  return run;
}

/** A turn verifies late messages; this rejects until then. */
const UNPROVED: Verify = () => ({ ok: false, reason: 'it is looked at with the next turn' });

/** A cancellation by Temporal cannot travel, since only this history knows of it. */
export function canGoAlong(late: readonly Incoming[]): boolean {
  return (
    !late.some(({ is }) => is === 'cancelled' || is === 'ended') && byteLength(JSON.stringify(late)) <= MAX_LATE_BYTES
  );
}

/**
 * The arrivals that travel beside the state. If many came while it was stored, the history ends with a later task
 * instead, which brings little more than its timer.
 * @param known the number of arrivals at the task before
 * @param tasks the tasks that have looked before
 * @returns `more` if another task is to look; `too-much` if they cannot travel
 */
export function lateOf(
  line: readonly Incoming[],
  known: number,
  tasks: number,
): readonly Arrival[] | 'more' | 'too-much' {
  if (!canGoAlong(line)) return 'too-much';
  return line.length - known <= fewAfter(tasks) ? (line as readonly Arrival[]) : 'more';
}
