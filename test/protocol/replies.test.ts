/** What activities reply is read by tables: an activity can be completed from outside, with anything. */

import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ANSWERS,
  problemOf,
  REPLIES,
  REQUESTS,
  PLAN_SHAPE,
  type PlanShape,
  type Shape,
  NO_USAGE,
} from '../../src/protocol/index.ts';
import { shapeOf } from '../workflows/run/make-run.ts';

const planShape: PlanShape = { ...shapeOf([[], [0], [0, 1]]), digest: 'ab'.repeat(32), revisionRef: 'A'.repeat(43) };
const project = { inbox: false };

test('a reply of a worker is one', () => {
  expect(problemOf(REPLIES.compilePlan, { ok: true, planShape, project, sameAs: [0, -1, 2] })).toBeUndefined();
  expect(problemOf(REPLIES.compilePlan, { ok: true, pages: ['A'.repeat(43)], project })).toBeUndefined();
  expect(problemOf(REPLIES.compilePlan, { ok: false, issues: [] })).toBeUndefined();
});

test.each<[name: string, over: object, place: string]>([
  ['let a node wait for itself', { inputs: [[], [1], []] }, 'columns that belong together'],
  ['let a node wait for a later one', { inputs: [[2], [], []] }, 'columns that belong together'],
  ['name an executor that is not there', { executorOf: [0, 0, 7] }, 'columns that belong together'],
  ['end too early', { summaries: [] }, 'columns that belong together'],
  ['have no root', { root: 3 }, 'columns that belong together'],
  ['hold half a place', { inputs: [[], [0.5], []] }, '$.inputs[1][0]: expected a whole number'],
  [
    'hold an executor of no kind',
    { executors: [{ ...planShape.executors[0], kind: '__proto__' }] },
    '$.executors[0].kind',
  ],
  ['know no reference', { revisionRef: '../plan' }, '$.revisionRef: expected a reference'],
])('a plan whose columns: %s is none', (_, over, place) => {
  expect(problemOf(PLAN_SHAPE, planShape)).toBeUndefined();
  expect(problemOf(PLAN_SHAPE, { ...planShape, ...over })).toContain(place);
});

test.each<[name: string, shape: Shape, reply: unknown, place: string]>([
  [
    'tokens below zero',
    REPLIES.reportFailure,
    { report: '', usage: { ...NO_USAGE, outputTokens: -5 } },
    '$.usage.output',
  ],
  ['calls as text', REPLIES.reportFailure, { report: '', usage: { ...NO_USAGE, calls: '12' } }, '$.usage.calls'],
  ['an outcome that nobody knows', REPLIES.storeAnswer, { ok: 'toString' }, '$.ok: expected true or false'],
  [
    'a result of half a byte',
    REPLIES.storeAnswer,
    { ok: true, handle: { ref: 'A'.repeat(43), kind: 'set', count: 1, bytes: 0.5 } },
    '$.handle.bytes',
  ],
  ['no project', REPLIES.compilePlan, { ok: true, planShape }, '$.project: expected an object, got nothing'],
  [
    'a rule for nobody',
    REPLIES.compilePlan,
    { ok: true, planShape, project: { inbox: false, rules: [{ roles: 7 }] } },
    '$.project.rules[0].roles',
  ],
])('%s are told with their place', (_, shape, reply, place) => {
  expect(problemOf(shape, reply)).toContain(place);
});

test('no table throws, whatever comes', () => {
  const shapes: Shape[] = [...Object.values(REQUESTS), ...Object.values(REPLIES), ...Object.values(ANSWERS)];
  fc.assert(
    fc.property(fc.constantFrom(...shapes), fc.anything(), (shape, value) => {
      const problem = problemOf(shape, value);
      expect(problem === undefined || problem.startsWith('$')).toBe(true);
    }),
    { numRuns: 1000 },
  );
});
