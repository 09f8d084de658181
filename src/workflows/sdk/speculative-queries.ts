/**
 * With the SDK's core (1.23 and 1.24), a query can make a run act on events that belong to no workflow task yet. This
 * interceptor prevents that: docs/decisions/queries.md.
 *
 * It depends on undocumented facts: four fields of an activation, the name of a query outside tasks, and the clock of
 * `Intl`. Tests: test/worker/speculative-queries.test.ts and test/replay/activation.test.ts. Remove this file when the
 * core hides such events.
 */

import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { isRecord, UNHEARD } from '../../protocol/index.ts';
import { inClear } from '../failure-converter.js';
import { isOwn } from './activations.ts';
import { payloadConverter } from '../payload-converter.js';

/** What the SDK's core reports with every activation. */
export interface Moment {
  readonly events: number;
  /** Identifies the newest workflow task by its start time and the history's size at that time. */
  readonly started: string;
}

type Activation = Parameters<Interceptor>[0]['activation'];
type Interceptor = NonNullable<NonNullable<ReturnType<WorkflowInterceptorsFactory>['internals']>[0]['activate']>;

/** Whether events arrived without a workflow task. A new task has another start time or at least a longer history. */
export function isSpeculative(before: Moment | undefined, now: Moment): boolean {
  return before !== undefined && now.events > before.events && now.started === before.started;
}

/**
 * If events arrive without a task, the query that brought them fails, and the core drops this instance of the run. A
 * closed run gets no further task, so its queries are answered. If another worker had a task until it timed out, the
 * start of that task looks new; only its age differs. So an instance that has acted only on one old task since its
 * replay is dropped with the next query.
 */
export const interceptors: WorkflowInterceptorsFactory = () => (isOwn() ? interceptorsBy() : {});

/** @param clock returns the current time in milliseconds since 1970 */
export function interceptorsBy(clock: () => number = clockTime): ReturnType<WorkflowInterceptorsFactory> {
  let last: Moment | undefined;
  let isHeld = false;
  let isReplayed = false;
  /** Tasks since the replay. An answered query sets this to 2, which means more than one. */
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
    // Replayed events are never speculative, since the run has already acted on them.
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
 * Age of a task in ms. A worker receives its own task within moments, so an older task was started on another worker:
 * it arrives with a query that waited 2 s for that worker (the sticky timeout). A wrong guess costs one more replay.
 */
const OLD_MS = 500;

function startedAt({ timestamp }: Activation): number {
  return Number(timestamp?.seconds ?? 0) * 1000 + (timestamp?.nanos ?? 0) / 1_000_000;
}

/**
 * The real time. In the sandbox `Date` has the time of the task, but a date formatter without an argument reads the
 * real clock. No command depends on this time.
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

/** Whether the query goes directly to a worker. Other queries come with a workflow task. */
function isPastTasks({ jobs }: Activation): boolean {
  return jobs?.[0]?.queryWorkflow?.queryId === PAST_TASKS;
}

/** The SDK core's id for queries that go directly to a worker (`LEGACY_QUERY_ID`). */
const PAST_TASKS = 'legacy_query';

function momentOf({ historyLength, historySizeBytes, timestamp }: Activation): Moment {
  return {
    events: historyLength ?? 0,
    started: [timestamp?.seconds, timestamp?.nanos, historySizeBytes].join(),
  };
}

/** Whether the sender of a query knows that the run has ended. It then sends the number of history events. */
function isOfEnded({ jobs, historyLength }: Activation): boolean {
  const [page] = jobs?.[0]?.queryWorkflow?.arguments ?? [];
  const asked: unknown = page && payloadConverter.fromPayload(page);
  return isRecord(asked) && asked['ended'] === historyLength;
}
