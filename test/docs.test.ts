/** The pages say what the program does: codes, options, actions, demos and links. */

import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CLIENT_ERROR_CODES } from '../src/client/index.ts';
import { checkConfig } from '../src/config/index.ts';
import { ERROR_CODES } from '../src/operations/index.ts';
import { DRAFT_ERROR_CODES } from '../src/capabilities/builtin/drafts/index.ts';
import { ISSUE_CODES, OPERATORS } from '../src/plan/index.ts';
import { MODEL_ERROR_KINDS } from '../src/models/index.ts';
import { STORE_ERROR_CODES } from '../src/store/index.ts';
import {
  CONTROL_ACTIONS,
  DECISIONS,
  DECISION_KINDS,
  FAILURE_TYPES,
  MESSAGE_NAMES,
  OPTION_KEYS,
  QUERIES,
  REFUSALS,
} from '../src/protocol/index.ts';
import { filesBelow, loadedWith, readSource } from './support/source-files.ts';

const root = fileURLToPath(new URL('../', import.meta.url));

describe('docs/errors.md lists every code, and no other', () => {
  const sections = readFileSync(`${root}docs/errors.md`, 'utf8').split(/^## /m);
  test.each<[string, readonly string[]]>([
    ['Plan issues', ISSUE_CODES],
    ['Failure types', FAILURE_TYPES],
    ['Refused messages', REFUSALS],
    ['Store errors', STORE_ERROR_CODES],
    ['Client errors', CLIENT_ERROR_CODES],
    ['Draft errors', DRAFT_ERROR_CODES],
    ['Model errors', MODEL_ERROR_KINDS],
    ['Command line errors', Object.keys(ERROR_CODES)],
  ])('%s', (title, codes) => {
    const section = sections.find((one) => one.startsWith(`${title}\n`)) ?? '';
    const listed = [...section.matchAll(/^\| `([\w.-]+)` +\|/gm)].map(([, code]) => code);
    expect(listed.toSorted()).toEqual([...codes].toSorted());
  });
});

test('docs/bounds.md has the value of every bound', () => {
  const [, ...rows] = readFileSync(`${root}docs/bounds.md`, 'utf8').split(/^\| (?!what|---)/m);
  const marks = filesBelow('src').flatMap((file) => readSource(file).match(/^ *\/?\*+ @bound /gm) ?? []);
  expect(rows.length).toBe(marks.length);
  expect(rows.filter((row) => !/^[^|]+ \| \d/.test(row.replaceAll('\\|', '')))).toEqual([]);
});

test('the optional peers are those of the table of docs/embedding.md, and those that no door and no command loads at once', () => {
  const { exports, peerDependencies, peerDependenciesMeta } = JSON.parse(
    readFileSync(`${root}package.json`, 'utf8'),
  ) as {
    readonly exports: Readonly<Record<string, { readonly default?: string }>>;
    readonly peerDependencies: Readonly<Record<string, string>>;
    readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
  };
  const optional = Object.keys(peerDependenciesMeta).filter((name) => peerDependenciesMeta[name]?.optional);
  const told = [...sectionOf('embedding.md', 'Optional packages').matchAll(/^\| `(.+?)` +\|/gm)].map(
    ([, name]) => name,
  );
  expect(told).toEqual(optional);

  const doors = Object.values(exports).flatMap(({ default: built }) => built?.replace('./dist/', 'src/') ?? []);
  const { packages } = loadedWith(...[...doors, 'src/cli/main.js'].map((file) => file.replace(/js$/, 'ts')));
  // Nothing runs without Temporal's SDK, whichever command asks for it first.
  const late = Object.keys(peerDependencies).filter(
    (name) => !name.startsWith('@temporalio/') && !packages.some((one) => `${one}/`.startsWith(`${name}/`)),
  );
  expect(late).toEqual(optional);
  expect(packages).toContain('zod');
});

test('docs/plans.md has the table of the operators', () => {
  const [, section = ''] = readFileSync(`${root}docs/plans.md`, 'utf8').split(/^## Operators$/m);
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (.*?) +\| (.*?) +\|$/gm)].map(([, ...cells]) => cells);
  const inCode = (name: string) => (/\w/.test(name) ? name : `\`${name.replaceAll('|', '\\|')}\``);
  expect(rows).toEqual(
    Object.entries(OPERATORS).map(([operator, { aliases, gloss }]) => [
      operator,
      aliases.map(inCode).join(', '),
      gloss,
    ]),
  );
});

function sectionOf(page: string, heading: string): string {
  const text = readFileSync(`${root}docs/${page}`, 'utf8').split(new RegExp(`^#+ ${heading}\n`, 'm'))[1] ?? '';
  return text.split(/^#+ /m)[0] ?? '';
}

/** The first cells of the table below a heading of a page, which are code. */
function namesBelow(page: string, heading: string): readonly string[] {
  return [...sectionOf(page, heading).matchAll(/^\| `([\w-]+)` +\|/gm)].map(([, name = '']) => name);
}

test('docs/runs.md has every option of a run, docs/messages.md every control action, and no other', () => {
  expect(namesBelow('runs.md', 'Input').toSorted()).toEqual([...OPTION_KEYS].toSorted());
  expect(namesBelow('messages.md', 'Control').toSorted()).toEqual([...CONTROL_ACTIONS].toSorted());
});

test('docs/approval.md has every kind of decision with its fields, and no other', () => {
  const rows = [...sectionOf('approval.md', 'Decisions').matchAll(/^\| `([\w-]+)` +\| (.*?) +\|/gm)];
  expect(rows.map(([, kind, beside = '']) => [kind, beside.match(/\w+/g) ?? []])).toEqual(
    DECISION_KINDS.map((kind) => [kind, DECISIONS[kind].fields]),
  );
});

test('docs/messages.md has every message and every query, and no other', () => {
  const named = [
    ...sectionOf('messages.md', 'All messages and queries').matchAll(/^\| ((?:signal|query) .+?) +\|/gm),
  ].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => [cell.startsWith('query'), cell.includes('update'), name]),
  );
  expect(named).toEqual([
    ...MESSAGE_NAMES.map((name) => [false, true, name]),
    ...Object.keys(QUERIES).map((name) => [true, false, name]),
  ]);
});

test.each([
  ['The project', { odd: 1 }],
  ['model', { model: { name: 'large', odd: 1 } }],
  ['planner', { planner: { odd: 1 } }],
  ['results', { results: { odd: 1 } }],
  ['mcp.NAME', { mcp: { files: { command: 'x', odd: 1 } } }],
  ['encryption', { encryption: { keys: {}, current: 'a', odd: 1 } }],
])('docs/config-keys.md has every key, and no other: %s', (heading, config) => {
  let known: readonly string[] = [];
  try {
    checkConfig(config, `${root}planwright.config.ts`);
  } catch (error) {
    known = /known are (.*)/.exec((error as Error).message)?.[1]?.split(', ') ?? [];
  }
  const rows = [...sectionOf('config-keys.md', heading).matchAll(/^\| `(\w+)[\w.]*` +\|/gm)].map(([, key]) => key);
  expect([...new Set(rows)].toSorted()).toEqual(known.toSorted());
  expect(rows.length).toBeGreaterThan(0);
});

const inGit = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' }).split('\0').filter(Boolean);
const PAGES = inGit.filter((page) => page.endsWith('.md') && !page.startsWith('test/'));

describe('a link between pages leads somewhere in a clone without a build', () => {
  const links = PAGES.flatMap((page) =>
    [...withoutCode(readFileSync(root + page, 'utf8')).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(
      ([, to]) => [page, to ?? ''] as const,
    ),
  );
  test.each(links)('%s to %s', (page, to) => {
    const { pathname, hash } = new URL(to, `file://${root}${page}`);
    const path = pathname.slice(root.length);
    expect(inGit.some((file) => file === path || file.startsWith(`${path.replace(/\/$/, '')}/`))).toBe(true);
    if (hash !== '') expect(headingsOf(pathname)).toContain(hash.slice(1));
  });
});

test('a blank line cuts no table of a page in two', () => {
  expect(rowsWithoutHeader('| a |\n|---|\n| 1 |\n\n| a |\n|---|\n\n| 2 |\n| 3 |\n')).toEqual(['| 2 |']);
  expect(PAGES.flatMap((page) => rowsWithoutHeader(readFileSync(root + page, 'utf8')))).toEqual([]);
});

/** The first row of each table that has no header. */
function rowsWithoutHeader(markdown: string): readonly string[] {
  const firsts = withoutCode(markdown).matchAll(/(?<=^|\n\n)(\|.*)\n?(.*)/g);
  return [...firsts].filter(([, , below = '']) => !/^\|[ :|-]+\|$/.test(below)).map(([, row = '']) => row);
}

function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^```[^]*?^```$/gm, '');
}

/** The names by which a link leads to a heading of a page. */
function headingsOf(file: string): readonly string[] {
  return [...withoutCode(readFileSync(file, 'utf8')).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}
