/** The lines and the table of the bench beside other engines, from rounds that were measured. */

import { describe, expect, test } from 'vitest';
import { lineOf, readLines, shown, type Line } from '../../bench/report/lines.ts';
import { tableOf } from '../../bench/report/table.ts';

const ENGINE = { name: 'Engine', version: '1.2.3', label: 'a node a node' };
const CASE = { name: 'tree of 10', unit: 'ms a node', per: 10 };

describe('a line has the medians of its rounds', () => {
  test('beside the smallest run of each round', () => {
    const rounds = [
      { ms: 100, emptyMs: 10 },
      { ms: 300, emptyMs: 20 },
      { ms: 200, emptyMs: 90 },
    ];
    expect(lineOf(CASE, ENGINE, rounds)).toEqual({
      ...{ case: 'tree of 10', unit: 'ms a node', engine: 'Engine', version: '1.2.3', label: 'a node a node' },
      ...{ rounds: 3, value: 20, net: 11, ms: 200, middleHalf: [150, 250], emptyMs: 20 },
    });
  });
  test('and the most of its facts', () => {
    const rounds = [
      { ms: 1, facts: { lost: 0, kept: 9 } },
      { ms: 1, facts: { lost: 2, kept: 8 } },
    ];
    expect(lineOf(CASE, ENGINE, rounds)).toMatchObject({ facts: { lost: 2, kept: 9 } });
  });
});

const line = (engine: string, more: object, name = 'tree of 10') =>
  ({ case: name, unit: 'ms', engine, version: '1', label: `${engine} is fast`, ...more }) as Line;

describe('lines are read from all that was printed', () => {
  const [old, now] = [line('A', { value: 1 }), line('A', { value: 2 })];
  const printed = ['> npm says', '{"machine":{}}', JSON.stringify(old), '', '| plan |', JSON.stringify(now)].join('\n');
  test('the last of a case and engine counts', () => expect(readLines(printed)).toEqual([now]));
  test('a text without any is refused', () => {
    expect(() => readLines('{"machine":{}}\n')).toThrow('expected the output of npm run bench -- peers');
  });
});

test.each([
  [0.123, '0.12'],
  [9.5, '9.5'],
  [12.34, '12.3'],
  [1234.5, '1,235'],
])('%d is shown as %s', (value, text) => expect(shown(line('A', { value }))).toBe(text));

test('the table has a note for each case that an engine cannot do', () => {
  const lines = [
    line('A', { value: 20, net: 11 }),
    line('B', { cannot: 'it has no trees' }),
    line('A', { value: 3, facts: { lost: 0 } }, 'kill'),
  ];
  expect(tableOf(lines)).toBe(
    [
      '| plan | A 1 | B 1 |',
      '| --- | --- | --- |',
      '| tree of 10, ms | 20 (11) | - (note 1) |',
      '| kill, ms | 3 | - |',
      '',
      '- A 1: A is fast.',
      '- B 1: B is fast.',
      '',
      '- kill, A: lost 0.',
      '',
      '1. B, tree of 10: it has no trees.',
    ].join('\n'),
  );
});
