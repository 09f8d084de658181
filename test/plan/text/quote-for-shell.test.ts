import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { quoteForShell } from '../../../src/plan/text/index.ts';
import { anyText } from './arbitraries.ts';

test.each([
  ['plan-1', 'plan-1'],
  ['node_1,node_2', 'node_1,node_2'],
  ['a=b', 'a=b'],
  ['=ls', `'=ls'`],
  ['', `''`],
  ['two words', `'two words'`],
  ["it's", `'it'\\''s'`],
  ['$(x)`y`', "'$(x)`y`'"],
  ['{"a":1}', `'{"a":1}'`],
  ['\ud800', `'\ufffd'`],
])('%j is written %s', (word, quoted) => expect(quoteForShell(word)).toBe(quoted));

test('a shell reads back every word as it was', () => {
  const words = fc.sample(anyText, { seed: 7, numRuns: 300 }).map((word) => word.replaceAll('\0', ''));
  const read = execFileSync('sh', ['-c', `printf '%s\\0' ${words.map(quoteForShell).join(' ')}`]);
  expect(read.toString('utf8').split('\0').slice(0, -1)).toEqual(words.map((word) => word.toWellFormed()));
});
