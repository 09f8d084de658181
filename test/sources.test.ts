/** docs/sources.md and the titles of tests: every rule that is cited has a test that names it. */

import { expect, test } from 'vitest';
import { codeBelow, readCode, readSource } from './support/source-files.ts';

/** Items of lists: "- `System` (where it is): `rule`, `rule` (in words)". */
const ITEMS = readSource('docs/sources.md')
  .replaceAll(/\n +/g, ' ')
  .split('\n')
  .filter((line) => line.startsWith('- `'))
  .map((line) => [...line.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
const SYSTEMS = ITEMS.map(([system = '']) => system);
const RULES = ITEMS.flatMap(([system, ...rules]) => rules.map((rule) => `${system}: ${rule}`));

/** Titles of tests that begin with one of the sources. */
const cited = codeBelow('test')
  .filter((file) => file.endsWith('.test.ts'))
  .flatMap((file) => [...readCode(file).matchAll(/(?:test|describe|\))\(\s*['"`]([^'"`\n]+)/g)])
  .map(([, title = '']) => title)
  .filter((title) => SYSTEMS.some((system) => title.startsWith(`${system}: `)));

test.each(RULES)('a test is named after "%s"', (rule) => {
  expect(cited.filter((title) => title.startsWith(rule))).not.toEqual([]);
});

test('each source stands once, with its rules', () => {
  expect(new Set(SYSTEMS).size).toBe(SYSTEMS.length);
  expect(ITEMS.filter(({ length }) => length < 2)).toEqual([]);
  expect(RULES.length).toBeGreaterThan(100);
});

test('every standard that the code cites is a source', () => {
  const standards = codeBelow('src').flatMap((file) => readSource(file).match(/RFC \d+|CommonMark/g) ?? []);
  expect([...new Set(standards)].filter((one) => !SYSTEMS.includes(one))).toEqual([]);
});
