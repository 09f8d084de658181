/**
 * How long the history of a run may get. The server ends one at 51,200 events or 50 MiB, refuses updates after 2,000 and
 * signals after 10,000; before any of that the run goes on in a new history, with all it knows.
 */

import type { HistoryBudget } from '../../protocol/index.ts';
import { later } from './dialogue.ts';
import type { Run } from './run.ts';

/** The size of this history now, or when the run began in it. */
export interface HistoryLength {
  readonly events: number;
  readonly bytes: number;
  readonly signals: number;
  readonly updates: number;
}

/**
 * At 4,096 events or 4 MiB the server suggests a new history; a worker that has evicted a run replays so much in about a
 * second. The hard bounds leave the server's own ones a fifth, for what is under way and for messages.
 */
export const DEFAULT_BUDGET: HistoryBudget = {
  /**
   * @bound .events events of a history, soft
   * @beyond the run goes on in a new history once nothing is under way
   * @bound .bytes bytes of a history, soft
   * @beyond the run goes on in a new history once nothing is under way
   */
  soft: { events: 4096, bytes: 4 * 2 ** 20 },
  /**
   * @bound .events events of a history, hard
   * @beyond nothing new begins before the run goes on in a new history
   * @bound .bytes bytes of a history, hard
   * @beyond nothing new begins before the run goes on in a new history
   */
  hard: { events: 40_000, bytes: 40 * 2 ** 20 },
};

/**
 * Nine tenths of what the server takes of each in one history.
 * @bound signals in a history
 * @beyond as the soft bound
 */
const MOST_SIGNALS = 9000;
/**
 * @bound updates in a history
 * @beyond as the soft bound
 */
const MOST_UPDATES = 1800;

/**
 * How long starts are held back so that what is under way can end.
 * @bound how long starts are held back for a new history
 * @beyond the run goes on in this history, and tries again later
 */
const HOLD_MS = 30_000;

/** An activity costs 3 events, and a workflow task of 3 unless others share it. */
const EVENTS_PER_ACTIVITY = 6;

export type Pressure = 'none' | 'soft' | 'hard';

/** @param since what the history held when the run had begun in it: what it had to carry over does not count */
export function pressureOf(
  run: Run,
  length: HistoryLength,
  since: Pick<HistoryLength, 'events' | 'bytes'>,
  budget: HistoryBudget = run.dialogue.project.budget ?? DEFAULT_BUDGET,
): Pressure {
  // Work under way will still write its ends, that of a part in one.
  const events = length.events - since.events + EVENTS_PER_ACTIVITY * activitiesIn(run);
  const bytes = length.bytes - since.bytes;
  const isOver = (most: HistoryBudget['soft']) => events >= most.events || bytes >= most.bytes;
  if (isOver(budget.hard)) return 'hard';
  const isFull = length.signals >= MOST_SIGNALS || length.updates >= MOST_UPDATES;
  return isFull || run.hold.isAsked === true || isOver(budget.soft) ? 'soft' : 'none';
}

function activitiesIn({ work, parts }: Run): number {
  let activities = Object.keys(work).length + parts.size;
  for (const { open } of parts.values()) activities -= open;
  return activities;
}

/**
 * Whether nothing new may begin, so that what is under way ends and the run can go on in a new history. Something that
 * lasts long holds the others back for half a minute at most, and again only when the history is twice as long; at the
 * hard bound for as long as it takes.
 */
export function isHeldBack(run: Run, pressure: Pressure, events: number, at: string): boolean {
  const { hold } = run;
  if (pressure === 'none') return false;
  if (pressure === 'hard') return true;
  if (hold.notBefore !== undefined && at < hold.notBefore) return false;
  if (hold.until === undefined) {
    if (events < (hold.nextAt ?? 0)) return false;
    hold.until = later(at, HOLD_MS);
    hold.nextAt = 2 * events;
    return true;
  }
  if (at < hold.until) return true;
  if (events < (hold.nextAt ?? 0)) return false;
  delete hold.until;
  return isHeldBack(run, pressure, events, at);
}

/**
 * The time at which a run that is held back looks again (ISO 8601): at the hard bound only a store that has refused is
 * waited for.
 */
export function holdEnd({ hold: { until, notBefore } }: Run, at: string): string | undefined {
  return [notBefore, until].find((time) => time !== undefined && time > at);
}

/** The store could not take what is to be carried over; it is asked again a while later. */
export function putOff(run: Run, at: string, reason: string): void {
  Object.assign(run.hold, { notBefore: later(at, PUT_OFF_MS), reason });
}

/**
 * @bound how long a run waits for a new history when the store refused
 * @beyond it tries again
 */
const PUT_OFF_MS = 60_000;
