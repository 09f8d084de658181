import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { CLIENT_ERROR_CODES } from '../src/client/index.ts';
import { ERROR_EXITS } from '../src/cli/exit-codes.ts';
import { DEV_SERVER_ERROR_CODES } from '../src/dev-server/index.ts';
import { DRAFT_ERROR_CODES } from '../src/drafts/index.ts';
import { ISSUE_CODES, OPERATORS } from '../src/plan/index.ts';
import { STORE_ERROR_CODES } from '../src/results/index.ts';
import { FAILURE_TYPES, REFUSALS } from '../src/run/index.ts';

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
    ['Dev server errors', DEV_SERVER_ERROR_CODES],
    ['Command line errors', Object.keys(ERROR_EXITS)],
  ])('%s', (title, codes) => {
    const section = sections.find((one) => one.startsWith(`${title}\n`)) ?? '';
    const listed = [...section.matchAll(/^\| `([\w.-]+)` +\|/gm)].map(([, code]) => code);
    expect(listed.toSorted()).toEqual([...codes].toSorted());
  });
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

describe('a link between pages leads somewhere', () => {
  const pages = [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    ...readdirSync(`${root}docs`).map((name) => `docs/${name}`),
  ];
  const links = pages
    .filter((page) => page.endsWith('.md'))
    .flatMap((page) =>
      [...readFileSync(root + page, 'utf8').matchAll(/\]\((?!https?:)([^)#]+)/g)].map(
        ([, to]) => [page, to ?? ''] as const,
      ),
    );
  test.each(links)('%s to %s', (page, to) => {
    expect(() => readdirOrFile(new URL(to, `file://${root}${page}`))).not.toThrow();
  });
});

function readdirOrFile(url: URL): void {
  if (url.pathname.endsWith('.md') || url.pathname.includes('.')) readFileSync(url);
  else readdirSync(url);
}
