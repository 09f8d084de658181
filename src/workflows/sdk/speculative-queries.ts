/**
 * Stops a query from making a run act on events that no workflow task has brought yet, as the SDK's core (1.23 and
 * 1.24) would: docs/decisions/queries.md.
 *
 * Undocumented: four fields of an activation, the name of a query outside tasks, and the clock of `Intl`. Tests:
 * test/worker/speculative-queries.test.ts and test/replay/activation.test.ts. Remove it when the core hides such events from a
 * query.
 */

import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { isRecord, UNHEARD } from '../../protocol/index.ts';
import { inClear } from '../failure-converter.js';
import { isOwn } from './activations.ts';
import { payloadConverter } from '../payload-converter.js';

/** What the SDK's core reports with every activation. */
export interface Moment {
  /** Events of the history that the core has processed. */
  readonly events: number;
  /** The start of the newest workflow task: its time, and the size of the history then. */
  readonly started: string;
}

type Activation = Parameters<Interceptor>[0]['activation'];
type Interceptor = NonNullable<NonNullable<ReturnType<WorkflowInterceptorsFactory>['internals']>[0]['activate']>;

/**
 * Whether events came without a workflow task. Every new task has a start time and a longer history than the one
 * before, so a clock that is set back does no harm.
 */
export function isSpeculative(before: Moment | undefined, now: Moment): boolean {
  return before !== undefined && now.events > before.events && now.started === before.started;
}

/**
 * Each instance of a run has its own interceptors. The run does not act on events without a task; the query that
 * brought them follows at once and fails, and the core drops the instance. A closed run gets no further task, so there
 * the query is answered.
 *
 * If another worker has or had a task (until it timed out), its start is among the events and looks new. Its age shows
 * the difference: a real task has just started. An instance that after its replay has acted only on one old task is
 * dropped with the next query.
 */
export const interceptors: WorkflowInterceptorsFactory = () => (isOwn() ? interceptorsBy() : {});

/** @param clock the time of the clock, in milliseconds since 1970 */
export function interceptorsBy(clock: () => number = clockTime): ReturnType<WorkflowInterceptorsFactory> {
  let last: Moment | undefined;
  let isHeld = false;
  let isReplayed = false;
  /** Tasks since the replay; 2 means more, or an answered query. */
  let acted = 0;
  let isOld = false;
  const activate: Interceptor = (input, next) => {
    const { activation } = input;
    const isQuery = isPastTasks(activation);
    if (isHeld || (isQuery && isReplayed && acted === 1 && isOld)) {
      if (isOfEnded(activation)) return next(input);
      throw inClear(new Error(UNHEARD));
    }
    const now = momentOf(activation);
    const isLive = activation.isReplaying !== true;
    // The run has acted on replayed events before, whatever their times.
    isHeld = isLive && isSpeculative(last, now);
    if (isQuery) acted = 2;
    else if (!isLive) isReplayed = true;
    else if (last?.events !== now.events) {
      acted += 1;
      isOld = clock() - startedAt(activation) >= OLD_MS;
    }
    last = now;
    if (!isHeld) next(input);
  };
  return { internals: [{ activate }] };
}

/**
 * A worker receives its own task within moments. The task of another worker, which may be dead, arrives with a query
 * that has waited 2 s for that worker (the sticky timeout). A wrong guess costs one more replay.
 */
const OLD_MS = 500;

function startedAt({ timestamp }: Activation): number {
  return Number(timestamp?.seconds ?? 0) * 1000 + (timestamp?.nanos ?? 0) / 1_000_000;
}

/**
 * In the sandbox `Date` has the time of the task; a formatter without an argument uses the real clock. The run makes no
 * command from it: it only keeps or drops an instance.
 */
export function clockTime(): number {
  const parts = new Map(CLOCK.formatToParts().map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const date = [part('year'), part('month') - 1, part('day')] as const;
  return Date.UTC(...date, part('hour'), part('minute'), part('second'), part('fractionalSecond'));
}

const CLOCK = new Intl.DateTimeFormat('en-US', {
  calendar: 'gregory',
  numberingSystem: 'latn',
  timeZone: 'UTC',
  hourCycle: 'h23',
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  fractionalSecondDigits: 3,
});

/** A query that goes straight to a worker; others travel with a workflow task. */
function isPastTasks({ jobs }: Activation): boolean {
  return jobs?.[0]?.queryWorkflow?.queryId === PAST_TASKS;
}

/** The SDK core's name for such queries (`LEGACY_QUERY_ID`). */
const PAST_TASKS = 'legacy_query';

function momentOf({ historyLength, historySizeBytes, timestamp }: Activation): Moment {
  return {
    events: historyLength ?? 0,
    started: [timestamp?.seconds, timestamp?.nanos, historySizeBytes].join(),
  };
}

/** A query whose sender knows that the run has ended, and its number of events. */
function isOfEnded({ jobs, historyLength }: Activation): boolean {
  const [page] = jobs?.[0]?.queryWorkflow?.arguments ?? [];
  const asked: unknown = page && payloadConverter.fromPayload(page);
  return isRecord(asked) && asked['ended'] === historyLength;
}
