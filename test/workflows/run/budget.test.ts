/** How long a history may get, and what presses it. */

import { describe, expect, test } from 'vitest';
import { DEFAULT_BUDGET, pressureOf, type HistoryLength, type Pressure } from '../../../src/workflows/run/budget.ts';
import { openRun } from '../../../src/workflows/run/run.ts';
import { approvedRun, AT, openedRun, wideSlice } from './make-run.ts';

const NONE: HistoryLength = { events: 0, bytes: 0, signals: 0, updates: 0 };
const MIB = 2 ** 20;

describe('Temporal: limits of a history: the pressure on it', () => {
  test.each<[string, Partial<HistoryLength>, Partial<HistoryLength>, Pressure]>([
    ['is none at first', {}, {}, 'none'],
    ['is none just below the soft bound', { events: 4095, bytes: 4 * MIB - 1 }, {}, 'none'],
    ['is of events from so many events', { events: 4096 }, {}, 'events'],
    ['is of events from so many bytes', { bytes: 4 * MIB }, {}, 'events'],
    ['is of events just below the hard bound', { events: 39_999, bytes: 40 * MIB - 1 }, {}, 'events'],
    ['is hard from so many events', { events: 40_000 }, {}, 'hard'],
    ['is hard from so many bytes', { bytes: 40 * MIB }, {}, 'hard'],
    ['is of messages from nine tenths of the signals that the server takes', { signals: 9000 }, {}, 'messages'],
    ['is none just below that', { signals: 8999, updates: 1799 }, {}, 'none'],
    ['is of messages from nine tenths of the updates', { updates: 1800 }, {}, 'messages'],
    ['is of messages rather than of events', { events: 4096, signals: 9000 }, {}, 'messages'],
    ['is full when few more are taken', { events: 40_000, signals: 9500 }, {}, 'full'],
    ['is hard whatever the messages', { events: 40_000, signals: 9000 }, {}, 'hard'],
    [
      'does not count what it had to begin with',
      { events: 5000, bytes: 5 * MIB },
      { events: 1000, bytes: MIB + 1 },
      'none',
    ],
    ['counts from there', { events: 5096 }, { events: 1000 }, 'events'],
  ])('%s', (_, length, since, pressure) => {
    expect(pressureOf(openRun('plan-1', AT), { ...NONE, ...length }, { ...NONE, ...since })).toBe(pressure);
  });

  test('counts the ends that what is under way will write, six events each', () => {
    const run = approvedRun(wideSlice(100));
    expect(Object.keys(run.work).length).toBe(100);
    expect(pressureOf(run, { ...NONE, events: 4096 - 600 - 1 }, NONE)).toBe('none');
    expect(pressureOf(run, { ...NONE, events: 4096 - 600 }, NONE)).toBe('events');
    expect(pressureOf(run, { ...NONE, events: 40_000 - 600 }, NONE)).toBe('hard');
  });

  test('follows the budget of the project, where it has one', () => {
    const budget = { soft: { events: 10, bytes: 100 }, hard: { events: 20, bytes: 200 } };
    const run = openedRun(wideSlice(1), {}, { inbox: false, budget });
    const under = (length: Partial<HistoryLength>) => pressureOf(run, { ...NONE, ...length }, NONE);
    expect([under({ events: 9 }), under({ events: 10 }), under({ bytes: 100 }), under({ bytes: 200 })]).toEqual([
      'none',
      'events',
      'events',
      'hard',
    ]);
    expect(pressureOf(run, { ...NONE, events: 4000 }, NONE, DEFAULT_BUDGET)).toBe('none');
  });
});
