/** The times of a schedule, as people type them. */

import { expect, test } from 'vitest';
import { specOf } from '../../src/operations/schedules.ts';

test.each<[string, object]>([
  [
    'weekdays 8:00',
    { calendars: [{ dayOfWeek: ['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY'], hour: 8, minute: 0 }] },
  ],
  ['Mon,thursdays 18:30', { calendars: [{ dayOfWeek: ['MONDAY', 'THURSDAY'], hour: 18, minute: 30 }] }],
  ['weekends 00:05', { calendars: [{ dayOfWeek: ['SATURDAY', 'SUNDAY'], hour: 0, minute: 5 }] }],
  ['1m', { intervals: [{ every: 60_000 }] }],
  ['6h', { intervals: [{ every: 21_600_000 }] }],
  ['0 8 * * 1-5', { cronExpressions: ['0 8 * * 1-5'] }],
])('%s', (every, spec) => {
  expect(specOf(every)).toEqual(spec);
  expect(specOf(every, 'Europe/Berlin')).toMatchObject(spec);
});

test.each([
  '',
  'weekdays',
  'weekdays 24:00',
  'weekdays 8:60',
  'someday 8:00',
  'constructor 8:00',
  'mon,someday 8:00',
  'mo 8:00',
  '8:00',
  '* * *',
])('"%s" is rejected, and the message shows what works', (every) => {
  expect(() => specOf(every)).toThrow("expected 'weekdays 8:00'");
});

test.each(['1ms', '1s', '59s'])('a start every %s is too often', (every) => {
  expect(() => specOf(every)).toThrow(`expected at least 1m, got ${every}`);
});
