/**
 * What became of every plan of the repository and of 10,000 that were generated once, in every dialect, whole and broken,
 * as people and models write them, is kept: a change of the compiler shows
 * each plan whose digest or codes it changes. `UPDATE_GOLDEN=1` keeps what they are now.
 */

import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { compilePlan } from '../../src/plan/index.ts';
import { PAGES, blocksOf } from '../support/pages.ts';
import { readPacked, writePacked } from '../support/packed-json.ts';
import { filesBelow, readSource } from '../support/source-files.ts';
import { exampleCatalogue } from './example-catalogue.ts';
import { invalidPlans } from './plan-fixtures.ts';
import type { CompileOptions } from '../../src/plan/index.ts';

const FILE = new URL('../fixtures/plans/compiled-before.json.gz', import.meta.url);
const GENERATED = readPacked(new URL('../fixtures/plans/generated.json.gz', import.meta.url)) as readonly {
  readonly name: string;
  readonly text: string;
  readonly options: CompileOptions;
}[];

const CATALOGUE = exampleCatalogue({
  capabilities: ['search', 'rank'],
  agents: ['Writer'],
  defaultExecutor: { kind: 'capability', name: 'search', version: '1', effect: 'read' },
});

/** The first digits of its digest, then its codes: errors, a bar, warnings and notes. */
function outcomeOf(document: string | Uint8Array, options: CompileOptions): string {
  const result = compilePlan(document, options);
  const issues = result.ok ? result.warnings : result.issues;
  const codes = (isError: boolean) =>
    issues
      .filter(({ severity }) => (severity === 'error') === isError)
      .map(({ code }) => code)
      .sort()
      // What one mistake in the syntax is told as may be one place or several.
      .filter((code, at, all) => code !== 'repaired-syntax' || all[at - 1] !== code)
      .join(' ');
  return `${result.ok ? result.plan.digest.slice(0, 10) : ''} ${codes(true)}|${codes(false)}`;
}

/** Named by its text too, so that a page whose plan is written anew is no plan of before. */
function inRepository(): readonly (readonly [name: string, outcome: string])[] {
  const files = filesBelow('test', 'examples', 'docs')
    .filter((file) => /\.(?:json|ya?ml|xml)$/.test(file) && !file.startsWith('test/replay/'))
    .filter((file) => !file.startsWith('test/fixtures/plans/invalid/'))
    .map((file) => ({ name: file, text: readSource(file), syntax: /\.ya?ml$/.test(file) ? 'yaml' : 'json' }) as const);
  const blocks = PAGES.flatMap(blocksOf)
    .filter(({ language }) => ['json', 'yaml', 'xml'].includes(language))
    .map(({ page, language, text }) => ({ name: page, text, syntax: language === 'yaml' ? 'yaml' : 'json' }) as const);
  const invalid = invalidPlans().map(
    ({ name, document, options }) => [`${name} ${hashOf(document)}`, outcomeOf(document, options)] as const,
  );
  return [
    ...[...files, ...blocks].map(
      ({ name, text, syntax }) => [`${name} ${hashOf(text)}`, outcomeOf(text, { syntax })] as const,
    ),
    ...invalid,
  ];
}

function hashOf(document: string | Uint8Array): string {
  return createHash('sha256').update(document).digest('hex').slice(0, 8);
}

test('plans compile to the digests and codes of before', () => {
  const now: Record<string, string> = Object.fromEntries(inRepository());
  for (const [index, { name, text, options }] of GENERATED.entries()) {
    now[name] = outcomeOf(text, index % 3 === 0 ? { ...options, catalogue: CATALOGUE } : options);
  }
  if (process.env['UPDATE_GOLDEN'] === '1') writePacked(FILE, now);
  const before = readPacked(FILE) as Record<string, string>;
  const changed = Object.entries(before)
    .filter(([name, outcome]) => name in now && now[name] !== outcome)
    .map(([name, outcome]) => `${name}: ${outcome} -> ${now[name]}`);
  expect(changed).toEqual([]);
  expect(Object.keys(before).filter((name) => name in now).length).toBeGreaterThan(10_000);
});
