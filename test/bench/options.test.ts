/** The command line of the bench beside other engines. */

import { expect, test } from 'vitest';
import { readOptions } from '../../bench/report/options.ts';

const DEFAULTS = { rounds: 5, noisy: false, large: false, only: [], engine: [], given: {} };

test.each<[line: string, options: object]>([
  ['', DEFAULTS],
  ['2 --noisy', { ...DEFAULTS, rounds: 2, noisy: true }],
  ['--large --only kill --only naps', { ...DEFAULTS, large: true, only: ['kill', 'naps'] }],
  ['--engine dbos', { ...DEFAULTS, engine: ['dbos'] }],
  ['--lane parts --at-once 1000', { ...DEFAULTS, given: { lane: 'parts', 'at-once': 1000 } }],
])('peers %s', (line, options) => expect(readOptions(words(line))).toEqual(options));

test.each([
  ['none', '"none" is no number of rounds'],
  ['0', '"0" is no number of rounds'],
  ['1 2', '"2" is one word too many'],
  ['--lane fast', '--lane is "fast"; expected parts, visible, auto'],
  ['--at-once many', '--at-once is "many"'],
  ['--loud', '--loud'],
])('peers %s is refused', (line, problem) => {
  expect(readOptions(words(line))).toEqual({ problem: expect.stringContaining(problem) });
});

function words(line: string): readonly string[] {
  return line.split(' ').filter((word) => word !== '');
}
