/** The request of a part, as its worker gets it, and its words in the Web UI. */

import { describe, expect, test } from 'vitest';
import { PART, problemOf } from '../../../../src/protocol/index.ts';
import { partRequest, summaryOf } from '../../../../src/workflows/starters.ts';
import { executor, handle, progressOf, turn } from '../make-run.ts';
import { ALONE, done, onlyPart, partRun, partShape, READ, replied, scheduled, news } from './part-run.ts';

const ref = (letter: string) => letter.repeat(43);

describe('the request of a part', () => {
  const requestOf = (run: ReturnType<typeof partRun>) => partRequest(run.execution!, onlyPart(run)[1], 'secret');
  const problemOfPart = (run: ReturnType<typeof partRun>) =>
    problemOf(PART, { firstRunId: 'first', ...requestOf(run) });

  test('has its nodes, and whose results something outside waits for', () => {
    const planShape = partShape([[], [], [0, 1], [2], [1]], {
      executors: [READ, ALONE['an effect']!],
      executorOf: [0, 0, 0, 1, 0],
    });
    const run = partRun({ ...planShape, revisionRef: ref('v') });
    expect(requestOf(run)).toEqual({
      revision: ref('v'),
      nodes: '0-2,4',
      from: '',
      refs: '',
      slots: 4,
      work: 1,
      key: 'secret',
      awaited: '2',
    });
    expect(problemOfPart(run)).toBeUndefined();
  });

  test('has results from outside, in order, and what was begun before', () => {
    const run = partRun(partShape([[], [], [0], [1, 0], []]));
    const [name] = onlyPart(run);
    scheduled(run, name);
    news(run, [done(1, ref('b')), done(0, ref('a'))]);
    replied(run, name, []);
    turn(run);
    expect(requestOf(run)).toMatchObject({
      ...{ nodes: '2-4', from: '0-1', refs: ref('a') + ref('b') },
      ...{ again: '2-4', work: 6 },
    });
  });

  test('is never made without a result that it takes', () => {
    const run = partRun(partShape([[], [], [0], [0]]));
    const [name, part] = onlyPart(run);
    run.parts.set(name, { ...part, nodes: [2, 3] });
    expect(() => requestOf(run)).toThrow('a part takes the result of node_1, which has none');
    progressOf(run).handles[0] = handle(ref('a'));
    expect(requestOf(run)).toMatchObject({ from: '0', refs: ref('a') });
  });
});

describe('the summary of a part', () => {
  const long = (characters: number) => 'x'.repeat(characters);
  const OPERATOR = { ...executor('read'), kind: 'combine' } as const;

  test('counts its nodes by name, the most first', () => {
    const planShape = partShape([[], [], [], []], { executors: [READ, OPERATOR], executorOf: [0, 1, 1, 1] });
    expect(summaryOf([0, 1, 2, 3], planShape)).toBe('4 nodes: 3 set operators, 1 search');
  });

  test('is cut at 80 bytes', () => {
    const planShape = partShape([[], []], { executors: [executor('read', long(81))] });
    expect(Buffer.byteLength(summaryOf([0, 1], planShape))).toBeLessThanOrEqual(80);
    expect(summaryOf([0, 1], planShape)).toMatch(/^2 nodes: 2 x+/);
  });
});
