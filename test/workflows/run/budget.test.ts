/** How long a history may get, and what presses it. */

import { describe, expect, test } from 'vitest';
import { pressureIn, type HistoryLength, type Pressure } from '../../../src/workflows/run/drain.ts';
import { openRun } from '../../../src/workflows/run/run.ts';
import { approvedRun, AT, openedRun, wideShape } from './make-run.ts';

const NONE: HistoryLength = { events: 0, bytes: 0, signals: 0, updates: 0, isSuggested: false };
const MIB = 2 ** 20;

describe('Temporal: limits of a history: the pressure on it', () => {
  test.each<[string, Partial<HistoryLength>, Partial<HistoryLength>, Pressure]>([
    ['is none at first', {}, {}, 'none'],
    ['is of events where the server suggests a new history', { isSuggested: true }, {}, 'events'],
    ['is none where it does not, just below the hard bound', { events: 39_999, bytes: 40 * MIB - 1 }, {}, 'none'],
    ['is hard from so many events', { events: 40_000 }, {}, 'hard'],
    ['is hard from so many bytes', { bytes: 40 * MIB }, {}, 'hard'],
    ['is of messages from nine tenths of the signals that the server takes', { signals: 9000 }, {}, 'messages'],
    ['is none just below that', { signals: 8999, updates: 1799 }, {}, 'none'],
    ['is of messages from nine tenths of the updates', { updates: 1800 }, {}, 'messages'],
    ['is of messages rather than of events', { isSuggested: true, signals: 9000 }, {}, 'messages'],
    ['is full when few more are taken', { events: 40_000, signals: 9500 }, {}, 'full'],
    ['is hard whatever the messages', { events: 40_000, signals: 9000 }, {}, 'hard'],
    [
      'does not count what it had to begin with',
      { events: 40_000, bytes: 41 * MIB },
      { events: 1, bytes: MIB + 1 },
      'none',
    ],
    ['counts from there', { events: 40_001 }, { events: 1 }, 'hard'],
  ])('%s', (_, length, since, pressure) => {
    expect(pressureIn(openRun('plan-1', AT), { ...NONE, ...length }, { ...NONE, ...since })).toBe(pressure);
  });

  test('counts the ends that what is under way will write, six events each', () => {
    const run = approvedRun(wideShape(100));
    expect(Object.keys(run.tasks).length).toBe(100);
    expect(pressureIn(run, { ...NONE, events: 40_000 - 600 - 1 }, NONE)).toBe('none');
    expect(pressureIn(run, { ...NONE, events: 40_000 - 600 }, NONE)).toBe('hard');
  });

  test('follows the budget of the project, where it has one', () => {
    const budget = { soft: { events: 10, bytes: 100 }, hard: { events: 20, bytes: 200 } };
    const run = openedRun(wideShape(1), {}, { inbox: false, budget });
    const under = (length: Partial<HistoryLength>) => pressureIn(run, { ...NONE, ...length }, NONE);
    expect([under({ events: 9 }), under({ events: 10 }), under({ bytes: 100 }), under({ bytes: 200 })]).toEqual([
      'none',
      'events',
      'events',
      'hard',
    ]);
    expect(under({ isSuggested: true })).toBe('none');
  });
});
