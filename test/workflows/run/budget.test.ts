/** How long a history may get: when it presses, what is held back then, for how long, and when it is tried again. */

import { describe, expect, test } from 'vitest';
import {
  DEFAULT_BUDGET,
  holdEnd,
  isHeldBack,
  pressureOf,
  putOff,
  type HistoryLength,
  type Pressure,
} from '../../../src/workflows/run/budget.ts';
import { openRun, type Run } from '../../../src/workflows/run/run.ts';
import { approvedRun, AT, later, openedRun, wideSlice } from './make-run.ts';

const NONE: HistoryLength = { events: 0, bytes: 0, signals: 0, updates: 0 };
const MIB = 2 ** 20;

describe('Temporal: limits of a history: the pressure on it', () => {
  test.each<[string, Partial<HistoryLength>, Partial<HistoryLength>, Pressure]>([
    ['is none at first', {}, {}, 'none'],
    ['is none just below the soft bound', { events: 4095, bytes: 4 * MIB - 1 }, {}, 'none'],
    ['is soft from so many events', { events: 4096 }, {}, 'soft'],
    ['is soft from so many bytes', { bytes: 4 * MIB }, {}, 'soft'],
    ['is soft just below the hard bound', { events: 39_999, bytes: 40 * MIB - 1 }, {}, 'soft'],
    ['is hard from so many events', { events: 40_000 }, {}, 'hard'],
    ['is hard from so many bytes', { bytes: 40 * MIB }, {}, 'hard'],
    ['is soft from nine tenths of the signals that the server takes', { signals: 9000 }, {}, 'soft'],
    ['is none just below that', { signals: 8999, updates: 1799 }, {}, 'none'],
    ['is soft from nine tenths of the updates', { updates: 1800 }, {}, 'soft'],
    ['is hard whatever the messages', { events: 40_000, signals: 9000 }, {}, 'hard'],
    [
      'does not count what it had to begin with',
      { events: 5000, bytes: 5 * MIB },
      { events: 1000, bytes: MIB + 1 },
      'none',
    ],
    ['counts from there', { events: 5096 }, { events: 1000 }, 'soft'],
  ])('%s', (_, length, since, pressure) => {
    expect(pressureOf(openRun('plan-1', AT), { ...NONE, ...length }, { ...NONE, ...since })).toBe(pressure);
  });

  test('counts the ends that what is under way will write, six events each', () => {
    const run = approvedRun(wideSlice(100));
    expect(Object.keys(run.work).length).toBe(100);
    expect(pressureOf(run, { ...NONE, events: 4096 - 600 - 1 }, NONE)).toBe('none');
    expect(pressureOf(run, { ...NONE, events: 4096 - 600 }, NONE)).toBe('soft');
    expect(pressureOf(run, { ...NONE, events: 40_000 - 600 }, NONE)).toBe('hard');
  });

  test('follows the budget of the project, where it has one', () => {
    const budget = { soft: { events: 10, bytes: 100 }, hard: { events: 20, bytes: 200 } };
    const run = openedRun(wideSlice(1), {}, { inbox: false, budget });
    const under = (length: Partial<HistoryLength>) => pressureOf(run, { ...NONE, ...length }, NONE);
    expect([under({ events: 9 }), under({ events: 10 }), under({ bytes: 100 }), under({ bytes: 200 })]).toEqual([
      'none',
      'soft',
      'soft',
      'hard',
    ]);
    expect(pressureOf(run, { ...NONE, events: 4000 }, NONE, DEFAULT_BUDGET)).toBe('none');
  });
});

describe('what is held back', () => {
  /** At each moment (milliseconds) under this pressure and with so many events: whether it is held. */
  type Row = readonly [ms: number, pressure: Pressure, events: number, held: boolean];
  const held = (run: Run, rows: readonly Row[]) =>
    rows.map(([ms, pressure, events]) => [ms, pressure, events, isHeldBack(run, pressure, events, later(ms))]);

  test.each<[string, readonly Row[]]>([
    ['nothing without pressure', [[0, 'none', 9e9, false]]],
    [
      'all for half a minute, and then nothing',
      [
        [0, 'soft', 4096, true],
        [1, 'soft', 4100, true],
        [29_999, 'soft', 5000, true],
        [30_000, 'soft', 5000, false],
        [90_000, 'soft', 8191, false],
      ],
    ],
    [
      'again at twice the events, for half a minute, and then at twice as many again',
      [
        [0, 'soft', 4096, true],
        [30_000, 'soft', 4096, false],
        [60_000, 'soft', 8192, true],
        [89_999, 'soft', 8500, true],
        [90_000, 'soft', 8500, false],
        [100_000, 'soft', 16_383, false],
        [100_001, 'soft', 16_384, true],
      ],
    ],
    [
      'longer than half a minute at once, where that many events came in it',
      [
        [0, 'soft', 4096, true],
        [30_000, 'soft', 8192, true],
        [59_999, 'soft', 8192, true],
        [60_000, 'soft', 8192, false],
      ],
    ],
    [
      'at the hard bound for as long as it takes, whatever was tried before',
      [
        [0, 'soft', 4096, true],
        [30_000, 'soft', 4096, false],
        [30_001, 'hard', 40_000, true],
        [9_000_000, 'hard', 40_000, true],
      ],
    ],
    [
      'nothing any more once the pressure is gone',
      [
        [0, 'soft', 4096, true],
        [1, 'none', 100, false],
      ],
    ],
  ])('is %s', (_, rows) => expect(held(openRun('plan-1', AT), rows)).toEqual(rows));

  test('is nothing for a minute after the store has refused, but at the hard bound', () => {
    const run = openRun('plan-1', AT);
    expect(isHeldBack(run, 'soft', 4096, AT)).toBe(true);
    putOff(run, later(10), 'ENOSPC');
    const rows: readonly Row[] = [
      [11, 'soft', 4096, false],
      [11, 'hard', 40_000, true],
      [60_009, 'soft', 4096, false],
      // The first half minute is long over, and the events have not doubled.
      [60_010, 'soft', 4096, false],
      [60_010, 'soft', 8192, true],
    ];
    expect(held(run, rows)).toEqual(rows);
  });

  test.each<[string, Run['hold'], string | undefined]>([
    ['when the half minute is over', { until: later(30) }, later(30)],
    ['never, where it is over already', { until: AT }, undefined],
    ['when the store may be asked again', { notBefore: later(60) }, later(60)],
    ['then too, where the half minute was over before', { until: later(-1), notBefore: later(60) }, later(60)],
    ['never of itself, where nothing is waited for', {}, undefined],
  ])('is looked at again %s', (_, hold, end) => {
    expect(holdEnd({ ...openRun('plan-1', AT), hold }, AT)).toBe(end);
  });
});
