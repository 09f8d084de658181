/** What comments must say: what a file is for, and how a function of a door is called. */

import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeBelow, importsOf, readSource, ROOT } from './support/source-files.ts';

/** The doors of the package, as its own list has them, and of rooms that no user of it enters. */
const { exports } = JSON.parse(readFileSync(`${ROOT}/package.json`, 'utf8')) as {
  readonly exports: Readonly<Record<string, { readonly default?: string }>>;
};
const PUBLIC = Object.values(exports).flatMap(({ default: built }) =>
  built === undefined ? [] : [built.replace('./dist/', 'src/').replace(/js$/, 'ts')],
);
const INSIDE = ['language/algebra', 'language/plan/document', 'language/plan', 'model', 'language/text'].map(
  (room) => `src/${room}/index.ts`,
);
/** A comment of its own: a blank line stands after it. */
const OPENING = /^\/\*\*(?:[^*]|\*(?!\/))*[.:]\s*\*\/\n\n/;

test.each(codeBelow('src', 'examples'))('%s opens with a sentence that says what it is for', (file) => {
  expect(readSource(file).replace(/^#!.*\n/, '')).toMatch(OPENING);
});

test.each([
  '/** A unit. */\nexport',
  '// What it is for.\n\n',
  'import',
  '/* What it is for. */\n\n',
  '/** No end */\n\n',
])('%j is no opening sentence', (source) => expect(source).not.toMatch(OPENING));

describe.each([...PUBLIC, ...INSIDE])('what %s offers as a function or a class has an example', async (door) => {
  const offered = (await import(`${ROOT}/${door}`)) as Readonly<Record<string, unknown>>;
  const sources = codeBelow(...foldersOf(door)).map(readSource);
  const functions = Object.entries(offered).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));
  test.each(functions)('%s', (name) => {
    const docstrings = sources.flatMap((source) => docstringsOf(name, source));
    expect(docstrings).toHaveLength(1);
    expect(docstrings[0]).toContain('@example');
  });
});

/** The folders that a door's values come from; none of them inside another. */
function foldersOf(door: string): string[] {
  const from = importsOf(door).flatMap(({ kind, target }) =>
    kind === 'value' && target !== undefined ? [dirname(target)] : [],
  );
  return [...new Set(from)].filter((folder) => !from.some((other) => folder.startsWith(`${other}/`)));
}

/** The comments right before what has this name; '' where there is none. An overload follows the first. */
function docstringsOf(name: string, source: string): string[] {
  const declared = new RegExp(`^export (?:async )?(?:function\\*?|class) ${name}\\b`, 'm');
  const at = source.search(declared);
  if (at < 0) return [];
  const before = source.slice(0, at);
  return [before.endsWith('*/\n') ? before.slice(before.lastIndexOf('/**')) : ''];
}
