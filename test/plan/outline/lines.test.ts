/** A plan in lines: legible at 80 and at 120 columns, and in a panel of the Web UI, however large it is. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { outlineLines } from '../../../src/plan/lines/index.ts';
import { outlineMarkdown, type Outline } from '../../../src/plan/outline/index.ts';
import { oneLine } from '../../../src/plan/text/index.ts';
import { columnsIn, wideText } from '../lines/wide-texts.ts';
import { RUNS } from '../text/arbitraries.ts';
import { expectGolden } from '../golden.ts';
import { ASKED, bigTree, deepChain, longList, STANDING } from './example-outlines.ts';

const MOST = 40;
const SHOWN: readonly (readonly [string, Outline])[] = [
  ['asked', ASKED],
  ['standing', STANDING],
  ['tree-of-8000', bigTree(4000)],
  ['chain-of-300', deepChain(300)],
];
const WIDTHS = [80, 120] as const;
/** Whose lines are golden files; of the others the bounds hold. */
const [GOLDEN] = WIDTHS;

describe.each(SHOWN)('%s', (name, outline) => {
  test.each(WIDTHS)('at %i columns', (width) => {
    const lines = outlineLines(outline, { width, most: MOST });
    if (width === GOLDEN) expectGolden(`outline-${name}.${width}.txt`, lines.join('\n'));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
  });

  test.each(WIDTHS)('drawn in place at %i columns, a row is a line', (width) => {
    const lines = outlineLines(outline, { width, most: MOST, single: true, named: true });
    if (width === GOLDEN) expectGolden(`outline-${name}.single.${width}.txt`, lines.join('\n'));
    expect(lines.length).toBeLessThanOrEqual(MOST);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(width);
  });

  test('as Markdown', () => {
    const lines = outlineMarkdown(outline, { most: MOST });
    expectGolden(`outline-${name}.md`, lines.join('\n'));
    expect(lines.length).toBeLessThanOrEqual(MOST);
  });
});

describe('what is seen of every plan', () => {
  test.each(WIDTHS)('a badge stands before anything that is cut, at %i columns', (width) => {
    for (const single of [true, false]) {
      const lines = outlineLines(ASKED, { width, single });
      expect(lines[0]).toMatch(/^node_4 ! at-most-once on bank {2}Pay what/);
    }
  });

  test('every effect of a folded plan is shown or counted', () => {
    const outline = longList(8000);
    const entries = new Map(
      [...outline.entries].map(([id, entry], at) => [id, at % 2 === 0 ? { ...entry, effect: 'idempotent' } : entry]),
    );
    const text = outlineLines({ ...outline, entries }, { width: 80, most: MOST }).join('\n');
    const counted = [...text.matchAll(/: ([\d,]+) ! idempotent/g)].map(([, n = '']) => Number(n.replace(',', '')));
    const shown = text.match(/^node_\d+ \S+ ! idempotent/gm)?.length ?? 0;
    expect(shown).toBeGreaterThan(10);
    expect(counted.reduce((sum, n) => sum + n, shown)).toBe(4000);
  });

  test('what nobody takes is shown too', () => {
    const outline = bigTree(2);
    const lone = { id: 'node_9', title: 'Alone', takes: [] };
    const lines = outlineLines({ ...outline, entries: new Map([...outline.entries, ['node_9', lone]]) }, { width: 80 });
    expect(lines.at(-1)).toBe('node_9  Alone');
  });

  test.each(WIDTHS)('names and titles of wide characters stay within %i columns', (width) => {
    fc.assert(
      fc.property(wideText, wideText, wideText, (key, title, words) => {
        const entries = new Map([...STANDING.entries].map(([id, one]) => [id, { ...one, key, title, words }]));
        const outline = { ...STANDING, entries };
        const all = [true, false].flatMap((single) => outlineLines(outline, { width, single, named: true }));
        expect(all.filter((line) => columnsIn(line) > width)).toEqual([]);
        const [entry] = entries.values();
        const lines = outlineLines({ root: 'node_1', entries: new Map([['node_1', entry!]]) }, { width });
        const told = lines.join('').replaceAll(/\s/g, '');
        for (const text of [key, title, words]) expect(told).toContain(oneLine(text).replaceAll(/\s/g, ''));
      }),
      { ...RUNS, numRuns: 100 },
    );
  });

  test('results stand in one column beside titles of wide characters', () => {
    const lines = outlineLines(
      {
        root: 'node_2',
        entries: new Map(
          ['Find genes', '遺伝子の座標を読んで、それぞれの長さと向きを表に書き、最後に数を確かめる作業'].map(
            (title, at) => {
              const id = `node_${at + 1}`;
              return [id, { id, key: 'k', title, gave: '9 records', takes: [] }];
            },
          ),
        ),
      },
      { width: 60, single: true },
    );
    expect(lines.map((line) => columnsIn(line.slice(0, line.indexOf('9 records'))))).toEqual([51, 51]);
  });

  test('texts of others are neither markup nor rule the terminal', () => {
    const title = '**b** [a](http://b) <i> | `c` \u001b[2J\u202e';
    const outline = { root: 'node_1', entries: new Map([['node_1', { id: 'node_1', key: '*k*', title, takes: [] }]]) };
    expect(outlineMarkdown(outline, {})).toEqual([
      String.raw`- node_1 \*k\* \*\*b\*\* \[a\](http://b) \<i\> \| \`c\` \\u001b\[2J\\u202e`,
    ]);
    const text = outlineLines(outline, { width: 80 }).join('\n');
    for (const hidden of ['\u001b', '\u202e']) expect(text).not.toContain(hidden);
  });
});
