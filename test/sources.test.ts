/** docs/sources.md and the titles of tests: every rule that is cited has a test that names it. */

import { expect, test } from 'vitest';
import { codeBelow, readCode, readSource } from './support/source-files.ts';

const [sources = '', rules = ''] = readSource('docs/sources.md').split(/^## Rules$/m);
const SYSTEMS = firstCells(sources);
const RULES = firstCells(rules);

/** Titles of tests that begin with one of the sources. */
const cited = codeBelow('test')
  .filter((file) => file.endsWith('.test.ts'))
  .flatMap((file) => [...readCode(file).matchAll(/(?:test|describe|\))\(\s*['"`]([^'"`\n]+)/g)])
  .map(([, title = '']) => title)
  .filter((title) => SYSTEMS.some((system) => title.startsWith(`${system}: `)));

function firstCells(table: string): readonly string[] {
  return [...table.matchAll(/^\| `([^`]+)` +\|/gm)].map(([, cell = '']) => cell);
}

test.each(RULES)('a test is named after "%s"', (rule) => {
  expect(cited.filter((title) => title.startsWith(rule))).not.toEqual([]);
});

test('each source has a rule, and each rule a source', () => {
  expect([...new Set(RULES.map((rule) => rule.split(': ')[0]))].toSorted()).toEqual(SYSTEMS.toSorted());
});

test('every standard that the code cites is a source', () => {
  const standards = codeBelow('src').flatMap((file) => readSource(file).match(/RFC \d+|CommonMark/g) ?? []);
  expect([...new Set(standards)].filter((one) => !SYSTEMS.includes(one))).toEqual([]);
});
