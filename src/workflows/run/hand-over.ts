/** How a run is handed to the history in which it goes on, step by step. Pure: the workflow does what each step says. */

import { given, pagesOf, type Arrival, type Carried, type Resume, type RunSlice } from '../../protocol/index.ts';
import { byteLength } from '../../plan/text/index.ts';
import { arrive, fewAfter, type Incoming } from './arrive.ts';
import { openExecution } from './execution.ts';
import { gateOf, openRun, type Run } from './run.ts';
import { numbered } from './records.ts';
import { STATE_VERSION, type RunState, type Stored } from './state.ts';
import type { Verify } from './talk/authenticate.ts';
import { pagesToStore, withStored } from './trace.ts';

/** Shorter texts travel in the input of the new history. In UTF-16 code units. */
const INLINE = 64 * 1024;

/**
 * Messages that arrived while the state was stored travel beside it, up to so many bytes of JSON: the server takes 2
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
  const slice = execution && (execution.pages ? { pages: execution.pages } : yield* carried(execution.slice, inline));
  const stored: Stored = { trace, ...(slice && 'pages' in slice && { slice: slice.pages }) };
  const state = yield* carried(stateOf(run, trace), inline);
  const late = yield* lull(line, run.hold.busy);
  if (late === undefined) return { stored };
  const { chain } = dialogue;
  return {
    resume: { version: STATE_VERSION, chain, state, ...given({ slice }), ...(late.length > 0 && { late }) },
  };
}

function* carried(value: unknown, inline: number): Generator<HandOverStep, Carried, readonly string[]> {
  const text = JSON.stringify(value);
  return text.length <= inline ? { value } : { pages: yield { save: pagesOf(text) } };
}

/** The same run has the same state, as JSON to the byte, also after it was resumed. */
export function stateOf(run: Run, stored: Stored['trace'] = []): RunState {
  const { dialogue, execution, work, begun } = run;
  const { gate: _, ...approval } = dialogue.approval;
  const kept = { ...dialogue, approval, trace: withStored(dialogue.trace, stored) };
  const carriedWork = Object.fromEntries([...numbered(work)].filter(([, { kind }]) => kind !== 'look'));
  if (execution === undefined) return { dialogue: kept, work: carriedWork, begun };
  const { slice: __, progress: ___, lanes: ____, pages: _____, ...nodes } = execution;
  return { dialogue: kept, nodes, work: carriedWork, begun };
}

/**
 * @param slice of the open plan; undefined when the run had none
 * @param late arrived when the state was written already
 * @param from the slice as it came: one that is stored is not stored again
 * @throws Error when it is no state of a run with this slice
 */
export function resumeRun(
  workflowId: string,
  { dialogue, nodes, work, begun }: RunState,
  slice: RunSlice | undefined,
  late: readonly Arrival[] = [],
  from?: Carried,
): Run {
  if ((nodes === undefined) !== (slice === undefined))
    throw new TypeError('the state and its plan do not belong together');
  if (nodes?.status.length !== slice?.inputs.length) throw new TypeError('the state is of a plan with other nodes');
  const run: Run = {
    ...openRun(workflowId, dialogue.startedAt),
    dialogue: { ...dialogue, approval: { ...dialogue.approval, gate: slice && gateOf(dialogue, slice) } },
    execution: slice && {
      ...openExecution(slice, dialogue.options.concurrency, nodes),
      ...(from && 'pages' in from && { pages: from.pages }),
    },
    work,
    begun,
  };
  for (const arrival of late) arrive(run, arrival, UNPROVED);
  for (const { update, id } of messagesOf(run)) if (update !== undefined) run.unanswered.set(update, id);
  return run;
}

/** A late message is not verified before a turn looks at it. */
const UNPROVED: Verify = () => ({ ok: false, reason: 'it is looked at with the next turn' });

/** Every message that was not replied to. */
function* messagesOf({ dialogue, work }: Run) {
  yield* dialogue.mailbox;
  for (const queued of dialogue.queue) if (queued.for === 'message') yield queued.message;
  for (const one of Object.values(work)) if (one.kind === 'message') yield one.message;
}

/** Temporal knows of a cancellation in this history alone. */
export function canGoAlong(late: readonly Incoming[]): boolean {
  return (
    !late.some(({ is }) => is === 'cancelled' || is === 'ended') && byteLength(JSON.stringify(late)) <= MAX_LATE_BYTES
  );
}

/**
 * If much has come while the state was stored, the history ends with a later task, which brings little more than its
 * timer.
 * @returns what has arrived; undefined where it cannot go along
 */
function* lull(
  line: () => readonly Incoming[],
  busy = 0,
): Generator<HandOverStep, readonly Arrival[] | undefined, unknown> {
  let tasks = busy;
  for (let known = 0; ; yield 'pause') {
    const late = line() as readonly Arrival[];
    if (!canGoAlong(late)) return undefined;
    if (late.length - known <= fewAfter(tasks++)) return late;
    known = late.length;
  }
}
