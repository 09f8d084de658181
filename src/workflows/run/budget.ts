/**
 * The limits of a history. The server ends a history at 51,200 events or 50 MiB, and rejects updates after 2,000 and
 * signals after 10,000. Before that the run continues as new, with its whole state.
 */

import type { HistoryBudget } from '../../protocol/index.ts';
import { later } from './dialogue.ts';
import type { Run } from './in-memory.ts';
import { startedAgents } from './work.ts';
import { sum } from './work-traits.ts';

/** The size of this history now, or at the start of the run in it. */
export interface HistoryLength {
  readonly events: number;
  readonly bytes: number;
  readonly signals: number;
  readonly updates: number;
  /** The server suggests a new history (`continueAsNewSuggested`), by default at 4,096 events or 4 MiB. */
  readonly isSuggested: boolean;
}

/**
 * A fifth below the server's limits, for work under way and messages. The run then continues as new even if it stops
 * the same work again.
 */
const HARD: HistoryBudget['hard'] = { events: 40_000, bytes: 40 * 2 ** 20 };

/**
 * The server accepts 10,000 signals and 2,000 updates in one history. At `due` the run stops its work and continues as
 * new, but waits for a model's reply; at `full` it stops that too.
 */
const SIGNALS = { due: 9000, full: 9500 };
const UPDATES = { due: 1800, full: 1900 };

/** An activity writes 3 events, and 3 more for its workflow task unless others share it. */
const EVENTS_PER_ACTIVITY = 6;

/**
 * Why a new history is due: a suggestion (of the server, the worker's soft limit or a person), messages, the hard
 * limit, or messages that the server will soon reject.
 */
export type Pressure = 'none' | 'events' | 'messages' | 'hard' | 'full';

/** @param since the size when the run had begun in this history: what it carried over does not count */
export function pressureIn(
  run: Run,
  length: HistoryLength,
  since: Pick<HistoryLength, 'events' | 'bytes'>,
  budget: HistoryBudget | undefined = run.dialogue.project.budget,
): Pressure {
  // Work under way will still write its end; a part writes one for all its nodes.
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

/** The next history begins deferred work, and learns of the ends of agents. */
function activitiesIn({ counts, parts, dialogue }: Run): number {
  let activities = parts.size + sum(counts.all) - sum(counts.deferred) - startedAgents(dialogue);
  for (const { open } of parts.values()) activities -= open;
  return activities;
}

/** The store could not save the state; the run tries again after a pause. */
export function putOff({ drain }: Run, at: string, reason: string): void {
  const { since = at, attempt = 0 } = drain.backoff ?? {};
  drain.backoff = { cause: 'fault', reason, since, until: later(at, PUT_OFF_MS), attempt: attempt + 1 };
}

const PUT_OFF_MS = 60_000;
