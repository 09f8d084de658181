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
/** Floors of src whose comments begin with their subject. Add a floor here once its comments do. */
const PLAIN_FLOORS = [
  'cli',
  'operations',
  'engine',
  'wire',
  'worker',
  'language',
  'edge',
  'define',
  'loop',
  'model',
  'builtin',
];
/** A comment that begins so hides its subject: "What an activity is asked for" for "The request of an activity". */
const HIDES_SUBJECT = /^(?:What|Whatever|Who|Whoever|Whose|Of|One that|Where|Which|Nothing|Nobody)\b/;
/** The share of a floor's comments that may hide it. */
const MOST_HIDING = 0.05;
/** A comment on lines of its own: a block, or `//` lines below each other. */
const COMMENT = /^[ \t]*(?:\/\*[^]*?\*\/|\/\/.*(?:\n[ \t]*\/\/.*)*)/gm;
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

test.each(PLAIN_FLOORS)('at most 5 %% of the comments of src/%s hide their subject', (floor) => {
  const comments = codeBelow(`src/${floor}`).flatMap(commentsOf);
  const hiding = comments.filter(({ text }) => HIDES_SUBJECT.test(text));
  const offenders = hiding.map(({ place, text }) => `${place} ${text}`);
  expect(comments.length).toBeGreaterThan(100);
  expect(offenders.length <= MOST_HIDING * comments.length ? [] : offenders).toEqual([]);
});

test('comments are read as one line each', () => {
  const source = '/**\n * What it\n * is.\n */\nexport {};\n\n  // One\n  // line.\n  call();\n  /* Of it. */\n';
  expect(commentsIn(source)).toEqual([
    { line: 1, text: 'What it is.' },
    { line: 7, text: 'One line.' },
    { line: 10, text: 'Of it.' },
  ]);
});

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

function commentsOf(file: string): readonly { readonly place: string; readonly text: string }[] {
  return commentsIn(readSource(file)).map(({ line, text }) => ({ place: `${file}:${line}`, text }));
}

function commentsIn(source: string): readonly { readonly line: number; readonly text: string }[] {
  return [...source.matchAll(COMMENT)].map(({ 0: comment, index }) => ({
    line: source.slice(0, index).split('\n').length,
    text: comment
      .split('\n')
      .map((line) => line.replace(/^\s*(?:\/\/|\/\*\*?|\*(?!\/))?\s*/, '').replace(/\s*\*\/$/, ''))
      .join(' ')
      .trim(),
  }));
}

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
