/**
 * How long the history of a run may get. The server ends one at 51,200 events or 50 MiB, refuses updates after 2,000 and
 * signals after 10,000; before any of that the run goes on in a new history, with all it knows.
 */

import type { HistoryBudget } from '../../protocol/index.ts';
import { later } from './dialogue.ts';
import type { Run } from './in-memory.ts';
import { startedAgents } from './work.ts';
import { sum } from './work-traits.ts';

/** The size of this history now, or when the run began in it. */
export interface HistoryLength {
  readonly events: number;
  readonly bytes: number;
  readonly signals: number;
  readonly updates: number;
  /** The server suggests a new history (`continueAsNewSuggested`): at 4,096 events or 4 MiB, unless it is set up otherwise. */
  readonly isSuggested: boolean;
}

/**
 * Leaves the server's own bounds a fifth, for what is under way and for messages.
 * @bound .events events of a history
 * @beyond it continues as new, however often what is under way was stopped for that
 * @bound .bytes bytes of a history
 * @beyond as above
 */
const HARD: HistoryBudget['hard'] = { events: 40_000, bytes: 40 * 2 ** 20 };

/**
 * The server takes 10,000 signals and 2,000 updates in one history.
 * @bound .due signals in a history
 * @beyond the run goes on in a new history; what is under way is stopped for it
 * @bound .full signals in a history, while a model's reply is waited for
 * @beyond that is stopped too
 */
const SIGNALS = { due: 9000, full: 9500 };
/**
 * @bound .due updates in a history
 * @beyond as signals
 * @bound .full updates in a history, while a model's reply is waited for
 * @beyond as signals
 */
const UPDATES = { due: 1800, full: 1900 };

/** An activity costs 3 events, and a workflow task of 3 unless others share it. */
const EVENTS_PER_ACTIVITY = 6;

/** Why a new history is due: the server suggests it (or the soft bound that a worker sets), messages or a person, events of the hard bound, or messages that will soon be refused. */
export type Pressure = 'none' | 'events' | 'messages' | 'hard' | 'full';

/** @param since what the history held when the run had begun in it: what it had to carry over does not count */
export function pressureOf(
  run: Run,
  length: HistoryLength,
  since: Pick<HistoryLength, 'events' | 'bytes'>,
  budget: HistoryBudget | undefined = run.dialogue.project.budget,
): Pressure {
  // Work under way will still write its ends, that of a part in one.
  const events = length.events - since.events + EVENTS_PER_ACTIVITY * activitiesIn(run);
  const bytes = length.bytes - since.bytes;
  const isOver = (most: HistoryBudget['hard']) => events >= most.events || bytes >= most.bytes;
  const has = (bound: keyof typeof SIGNALS) => length.signals >= SIGNALS[bound] || length.updates >= UPDATES[bound];
  if (has('full')) return 'full';
  if (isOver(budget?.hard ?? HARD)) return 'hard';
  if (has('due') || run.drain.isRequested === true) return 'messages';
  const isDue = budget === undefined ? length.isSuggested : isOver(budget.soft);
  return isDue ? 'events' : 'none';
}

/** The next history begins what is deferred, and hears of the ends of agents. */
function activitiesIn({ counts, parts, dialogue }: Run): number {
  let activities = parts.size + sum(counts.all) - sum(counts.deferred) - startedAgents(dialogue);
  for (const { open } of parts.values()) activities -= open;
  return activities;
}

/** The store could not take what is to be carried over; it is asked again a while later. */
export function putOff({ drain }: Run, at: string, reason: string): void {
  const { since = at, attempt = 0 } = drain.backoff ?? {};
  drain.backoff = { cause: 'fault', reason, since, until: later(at, PUT_OFF_MS), attempt: attempt + 1 };
}

/**
 * @bound how long a run waits for a new history when the store refused
 * @beyond it tries again
 */
const PUT_OFF_MS = 60_000;
