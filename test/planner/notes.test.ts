/** The notes that the stages hand on. */

import { expect, test } from 'vitest';
import { openNotes, reopenNotes, withAnswers } from '../../src/planner/index.ts';

test('questions get their answers in their order; one that nobody answered stays without', () => {
  const asked = (text: string) => ({ is: 'question', question: { text } }) as const;
  const tried = { is: 'try', reply: '', trouble: 'empty', issues: [] } as const;
  const notes = { ...openNotes('a goal'), turns: [asked('a'), tried, asked('b'), asked('c'), asked('d')] };
  const { turns } = withAnswers(notes, ['A', undefined, null]);
  expect(turns.map((turn) => ('answer' in turn ? turn.answer : turn.is))).toEqual([
    'A',
    'try',
    'question',
    null,
    'question',
  ]);
  expect(withAnswers(withAnswers(notes, ['A']), ['A', 'B']).turns).toMatchObject([
    { answer: 'A' },
    {},
    { answer: 'B' },
    {},
    {},
  ]);
});

test('notes that are opened again keep the task and the selection, and nothing that was said of the plan before', () => {
  const tried = { is: 'try', reply: '', trouble: 'empty', issues: [] } as const;
  const before = { ...openNotes('a goal', { selected: ['search'] }), task: 'the task', turns: [tried], written: {} };
  const revise = { base: 'plan', feedback: 'it failed', lost: [] };
  const again = reopenNotes(before, 'a goal', revise);
  expect(again).toMatchObject({ goal: 'a goal', task: 'the task', selected: ['search'], turns: [], revise });
  expect(again.written).toBeUndefined();
  const said = { ...again, turns: [tried] };
  expect(reopenNotes(said, 'a goal', revise)).toBe(said);
  expect(reopenNotes(said, 'a goal', { ...revise, base: 'another' }).turns).toEqual([]);
  // An edit may have given the plan another goal.
  expect(reopenNotes(said, 'another goal', { ...revise, feedback: 'more' })).toMatchObject({ task: 'another goal' });
});

test('what is opened is plain data', () => {
  const notes = openNotes('a goal', { selected: ['search'], context: [{ key: 'genes', type: 'GENES' }] });
  expect(JSON.parse(JSON.stringify(notes))).toEqual(notes);
  expect(notes).toMatchObject({ task: 'a goal', usesHistory: true, usesMemory: true, turns: [] });
});

test("Osprey: context reuse: the run's own context hides a result of the same key, and of the others the last come first", () => {
  const result = (key: string) => ({ key, objective: `Find ${key}`, ref: key });
  const results = [result('a'), result('b'), { ...result('c'), text: 'shown' }];
  const { context } = openNotes('a goal', { context: [{ key: 'b' }], conversation: { results } });
  expect(context).toEqual([{ key: 'b' }, result('c'), result('a')]);
});
