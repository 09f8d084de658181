import { given, pagesOf, type Arrival, type Carried, type Resume, type PlanShape } from '../../protocol/index.ts';
import { byteLength } from '../../plan/text/index.ts';
import { arrive, maxLastMessages, type Incoming } from './arrive.ts';
import { openExecution, subjectOf, openRun } from './run.ts';
import type { Run } from './in-memory.ts';
import { numbered } from './records.ts';
import { STATE_VERSION, type CarriedState, type Stored } from './state.ts';
import type { Verify } from './talk/authenticate.ts';
import { receive } from './talk/inbox.ts';
import { noteStored, pagesToStore, withoutStored } from './trace.ts';

/** Texts above this length, in UTF-16 code units, are stored. Shorter ones go into the next history's input. */
const INLINE = 64 * 1024;

/** Maximum bytes of JSON of the messages that the next history takes over. The server accepts inputs up to 2 MB. */
const MAX_LATE_BYTES = 512 * 1024;

export interface HandOver {
  readonly pages: readonly string[];
  stored(refs: readonly string[]): { readonly resume: Resume; readonly stored: Stored };
}

/** @param inline texts longer than this, in UTF-16 code units, are stored */
export function makeHandOver(run: Run, inline: number = INLINE): HandOver {
  const { state, execution } = run;
  const { firstRunId } = state;
  const entries = pagesToStore(state.trace, inline);
  const lasts = entries.map((page) => page.at(-1)?.seq ?? 0);
  const planShape = execution && (execution.pages ? { pages: execution.pages } : carried(execution.planShape, inline));
  const rest = carried(stateOf(run, lasts.at(-1)), inline);
  const [ofPlanShape, ofState] = [planShape, rest].map((part) => (part && 'texts' in part ? part.texts : []));
  return {
    pages: [...entries.map((page) => JSON.stringify(page)), ...(ofPlanShape ?? []), ...(ofState ?? [])],
    stored(refs) {
      const unused = [...refs];
      const trace = lasts.map((last) => ({ ref: unused.shift() ?? '', last }));
      const inPages = (part: Carried | Texts): Carried =>
        'texts' in part ? { pages: unused.splice(0, part.texts.length) } : part;
      const plan = planShape && inPages(planShape);
      const resume = { version: STATE_VERSION, firstRunId, state: inPages(rest), ...given({ planShape: plan }) };
      return {
        resume: { ...resume, ...(trace.length > 0 && { trace }) },
        stored: { trace, ...(plan && 'pages' in plan && { planShape: plan.pages }) },
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
 * The state of a run for its next history. Equal runs give equal JSON, even after a hand-over.
 * @param stored the number of the last trace entry that is already in the store
 */
export function stateOf(run: Run, stored = 0): CarriedState {
  const { state, execution, tasks, lastTaskId } = run;
  const { subject: _, ...approval } = state.approval;
  const carriedState = { ...state, approval, trace: withoutStored(state.trace, stored) };
  const carriedTasks = Object.fromEntries([...numbered(tasks)].filter(([, { kind }]) => kind !== 'look'));
  if (execution === undefined) return { state: carriedState, tasks: carriedTasks, lastTaskId };
  const { planShape: __, progress: ___, lanes: ____, pages: _____, ...nodes } = execution;
  return { state: carriedState, nodes, tasks: carriedTasks, lastTaskId };
}

/**
 * Restores a run in its next history.
 * @param from the rest of the hand-over: arrivals, trace pages, and the stored plan shape
 * @throws Error if the state does not belong to a run with this plan shape
 */
export function restoreRun(
  workflowId: string,
  { state, nodes, tasks, lastTaskId }: CarriedState,
  planShape: PlanShape | undefined,
  { late = [], trace = [], planShape: from }: Pick<Resume, 'late' | 'trace' | 'planShape'> = {},
): Run {
  if ((nodes === undefined) !== (planShape === undefined))
    throw new TypeError('the state and its plan do not belong together');
  if (nodes?.status.length !== planShape?.inputs.length) throw new TypeError('the state is of a plan with other nodes');
  noteStored(state.trace, trace);
  const run: Run = {
    ...openRun(workflowId, state.startedAt, tasks),
    state: { ...state, approval: { ...state.approval, subject: planShape && subjectOf(state, planShape) } },
    execution: planShape && {
      ...openExecution(planShape, state.options.concurrency, nodes),
      ...(from && 'pages' in from && { pages: from.pages }),
    },
    lastTaskId,
  };
  for (const arrival of late)
    if (arrival.is === undefined) receive(run, arrival);
    else arrive(run, arrival, UNPROVED);
  return run;
}

/** Rejects every token. Late messages are verified in the next turn. */
const UNPROVED: Verify = () => ({ ok: false, reason: 'it is looked at with the next turn' });

/** Whether the next history can get these arrivals. It cannot get a cancellation, which is reported only once. */
export function canHandOver(late: readonly Incoming[]): boolean {
  return (
    !late.some(({ is }) => is === 'cancelled' || is === 'ended') && byteLength(JSON.stringify(late)) <= MAX_LATE_BYTES
  );
}

/**
 * The late arrivals, which the next history gets besides the state. If there are too many, this history ends in a later
 * workflow task.
 * @param known the number of arrivals at the previous check
 * @param tasks the number of checks so far
 * @returns `more` if another check must follow; `too-much` if the arrivals cannot be handed over
 */
export function lateArrivals(
  arrivals: readonly Incoming[],
  known: number,
  tasks: number,
): readonly Arrival[] | 'more' | 'too-much' {
  if (!canHandOver(arrivals)) return 'too-much';
  return arrivals.length - known <= maxLastMessages(tasks) ? (arrivals as readonly Arrival[]) : 'more';
}
