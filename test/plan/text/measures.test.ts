/** Numbers, durations and times in words. */

import { expect, test } from 'vitest';
import { clockText, counted, durationText, grouped } from '../../../src/plan/text/index.ts';

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [43_424, '43,424'],
  [1_234_567, '1,234,567'],
  [1234.5678, '1,234.5678'],
])('%d is %s', (count, text) => expect(grouped(count)).toBe(text));

test('a number with its noun', () =>
  expect([counted(1, 'record'), counted(0, 'record')]).toEqual(['1 record', '0 records']));

test.each([
  [-5, '0.0 s'],
  [0, '0.0 s'],
  [10_640, '10.6 s'],
  [59_949, '59.9 s'],
  [59_950, '1 min'],
  [60_000, '1 min'],
  [252_000, '4 min 12 s'],
  [3_599_400, '59 min 59 s'],
  [3_599_600, '60 min'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
  [86_400_000, '1 d'],
  [90_000_000, '1 d 1 h'],
])('%d ms are %s', (ms, text) => expect(durationText(ms)).toBe(text));

test.each([
  ['2026-03-01T14:03:07.120Z', '2026-03-01T23:00:00.000Z', '14:03:07Z'],
  ['2026-03-01T14:03:07Z', '2026-03-02T00:00:00Z', '2026-03-01 14:03:07Z'],
  ['2026-03-01T14:03:07.1Z', undefined, '2026-03-01 14:03:07Z'],
  ['soon', undefined, 'soon'],
])('%s beside %s is %s', (iso, beside, text) => expect(clockText(iso, beside)).toBe(text));
