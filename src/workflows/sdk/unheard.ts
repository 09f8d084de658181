/**
 * Keeps a query from letting a run act on events that no workflow task has brought yet, as the core of the SDK (1.23 and 1.24) does:
 * docs/decisions/queries.md.
 *
 * Not promised: four fields of an activation, the name of a query past the tasks, and the clock of `Intl`. Tried by
 * test/worker/unheard.test.ts and test/replay/activation.test.ts. It goes when the core keeps such events from a query.
 */

import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { isRecord, UNHEARD } from '../../protocol/index.ts';
import { inClear } from '../failure-converter.js';
import { isOwn } from './own-types.ts';
import { payloadConverter } from '../payload-converter.js';

/** The facts that the SDK's core tells with every activation. */
export interface Moment {
  /** Events of the history that it has worked through. */
  readonly events: number;
  /** The start of the newest workflow task: when, and how large the history was by then. */
  readonly started: string;
}

type Activation = Parameters<Interceptor>[0]['activation'];
type Interceptor = NonNullable<NonNullable<ReturnType<WorkflowInterceptorsFactory>['internals']>[0]['activate']>;

/**
 * Whether events have come and no workflow task with them. A task that starts has a time, and the history has grown since
 * the one before, so that a clock that is put back does not matter.
 */
export function isUnheard(before: Moment | undefined, now: Moment): boolean {
  return before !== undefined && now.events > before.events && now.started === before.started;
}

/**
 * Every instance of a run has its own. A run does not act on unheard events; the query that brought them follows at once and
 * fails, and the core drops the instance with it. A run that has ended gets no further task: there the query is answered.
 *
 * If another worker has a task, or had it until it timed out, its start is among the events and looks like news. Its age
 * tells it apart: a sound task has just started when it is acted on. An instance that was replayed and has acted on one such
 * old task alone is dropped with the query that follows.
 */
export const interceptors: WorkflowInterceptorsFactory = () => (isOwn() ? interceptorsBy() : {});

/** @param clock the time of the clock, in milliseconds since 1970 */
export function interceptorsBy(clock: () => number = clockTime): ReturnType<WorkflowInterceptorsFactory> {
  let last: Moment | undefined;
  let isHeld = false;
  let isReplayed = false;
  /** Tasks that were acted on since the replay; 2 stands for more, or for a query that was answered. */
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
    // The run has acted on replayed events before, whatever the times in them.
    isHeld = isLive && isUnheard(last, now);
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
 * A worker takes a task of its own up within moments. A task that another worker holds, and may have died with, comes here with a
 * query that has waited for that worker for 2 s (the sticky time-out). An instance that seems old and is not costs one more replay.
 */
const OLD_MS = 500;

function startedAt({ timestamp }: Activation): number {
  return Number(timestamp?.seconds ?? 0) * 1000 + (timestamp?.nanos ?? 0) / 1_000_000;
}

/**
 * In the sandbox `Date` tells the time of the task; a formatter that is given no time still asks the clock. The run
 * makes no command from it: it only keeps or drops an instance.
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

/** A query that goes past the workflow tasks, straight to a worker; others travel with a task. */
function isPastTasks({ jobs }: Activation): boolean {
  return jobs?.[0]?.queryWorkflow?.queryId === PAST_TASKS;
}

/** The SDK's core names queries so (`LEGACY_QUERY_ID`). */
const PAST_TASKS = 'legacy_query';

function momentOf({ historyLength, historySizeBytes, timestamp }: Activation): Moment {
  return {
    events: historyLength ?? 0,
    started: [timestamp?.seconds, timestamp?.nanos, historySizeBytes].join(),
  };
}

/** A query by somebody who knows that the run has ended, and with how many events. */
function isOfEnded({ jobs, historyLength }: Activation): boolean {
  const [page] = jobs?.[0]?.queryWorkflow?.arguments ?? [];
  const asked: unknown = page && payloadConverter.fromPayload(page);
  return isRecord(asked) && asked['ended'] === historyLength;
}
