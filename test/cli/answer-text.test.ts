/** An answer in text: named values, texts by themselves and tables, all of them within the columns of the terminal. */

import { describe, expect, test } from 'vitest';
import { answerText } from '../../src/cli/view/index.ts';

const NARROW = { columns: 80, lineColumns: 80 };
const ABOUT = 'Looks things up at a server that somebody else runs, and gives what it found there.';

describe('an answer in text', () => {
  test('has what its row shows, in its order: values in one block, a table of the columns that something stands in', async () => {
    const answer = {
      b: [
        { x: 1, y: 'one' },
        { x: 1200, y: 'two', no: 1 },
      ],
      a: 'A',
      hidden: 1,
      list: [],
    };
    const shows = { a: 'value', list: 'value', b: ['y', 'x', 'z'] } as const;
    expect(await answerText(answer, shows, NARROW)).toBe('a     A\nlist  none\n\nb\n  y    x\n  one  1\n  two  1,200');
    expect(await answerText({ url: 'http://h/x' }, { url: 'text' }, NARROW)).toBe('http://h/x');
  });

  test('of a row that says nothing about it has all, with records by their names as a table', async () => {
    const amounts = { object: { count: 2, bytes: 1234 }, kept: { count: 0, bytes: 0 } };
    expect(await answerText({ amounts, store: 'results', problems: [] }, undefined, NARROW)).toBe(
      'store     results\nproblems  none\n\namounts\n          count  bytes\n  object      2  1,234\n  kept        0  0',
    );
  });

  test('of forty tools with long names is within 80 columns, and no word is broken', async () => {
    const tools = Array.from({ length: 40 }, (_, at) => ({
      name: `laboratory.instruments.spectrometer_${at}.measure_absorption_spectrum`,
      version: '3fa9c1d2e4b5',
      effect: 'at-most-once',
      output: 'value',
      description: ABOUT,
    }));
    const shows = { capabilities: ['name', 'version', 'effect', 'output', 'description'] };
    const lines = (await answerText({ capabilities: tools }, shows, NARROW)).split('\n');
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
    for (const word of ABOUT.split(' ')) expect(lines.join(' ').split(/\s+/)).toContain(word);
    expect(lines).toContain(tools[7]!.name);
  });
});
