/** The stages of planning: which comes after which, and that they end. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addUsage,
  afterAnswer,
  afterStage,
  MAX_CALLS_PER_PLAN,
  MAX_CLASSIFICATIONS,
  MAX_PLANNER_QUESTIONS,
  MAX_PLANS,
  mayReplan,
  NO_USAGE,
  openPlanning,
  openReplanning,
  type Planning,
  type PlanningStep,
  type Replanned,
  type ErrorClass,
  type PlanningOutcome,
} from '../../src/protocol/index.ts';

const extracted: PlanningOutcome = { is: 'extracted' };
const selected: PlanningOutcome = { is: 'selected', count: 2 };
const noneSelected: PlanningOutcome = { is: 'selected', count: 0 };
const direct: PlanningOutcome = { is: 'routed', route: 'direct' };
const planFirst: PlanningOutcome = { is: 'routed', route: 'plan-first' };
const reactive: PlanningOutcome = { is: 'routed', route: 'reactive' };
const compiled: PlanningOutcome = { is: 'compiled', pages: [] };
const asks: PlanningOutcome = { is: 'asks', question: { text: 'Which assembly?' } };
const failed: PlanningOutcome = { is: 'failed', trouble: { severity: 'CRITICAL', message: 'no credit' } };
const invalid = invalidAs('REPLANNING');
const unknownName = invalidAs('RECLASSIFICATION');

const ANSWER = { question: 'Which assembly?', ref: 'hg38' };

function invalidAs(severity: ErrorClass): PlanningOutcome {
  return { is: 'invalid', trouble: { severity, message: 'no plan' }, issues: [] };
}

function times(count: number, outcome: PlanningOutcome): readonly PlanningOutcome[] {
  return Array.from({ length: count }, () => outcome);
}

/** The stages that were entered, and how it ended; a question is answered at once. */
function walk(outcomes: readonly PlanningOutcome[], start: Planning): { path: string; last: PlanningStep } {
  const path: string[] = [start.stage];
  let step: PlanningStep = { next: 'stage', planning: start };
  for (const outcome of outcomes) {
    expect(step.next).toMatch(/^(?:stage|ask)$/);
    const planning = step.next === 'ask' ? afterAnswer(step.planning, ANSWER) : step.planning;
    step = afterStage(planning, { usage: NO_USAGE, outcome });
    path.push(step.next === 'stage' ? step.planning.stage : step.next);
  }
  return { path: path.join(' '), last: step };
}

describe('Osprey: order of planning', () => {
  test.each<[name: string, mode: Planning['mode'], outcomes: readonly PlanningOutcome[], path: string]>([
    ['extract, select, write', 'plan-first', [extracted, selected, compiled], 'extract select write plan'],
    ['auto routes first', 'auto', [extracted, planFirst, selected, compiled], 'extract route select write plan'],
    ['a direct answer selects nothing', 'auto', [extracted, direct, compiled], 'extract route direct plan'],
    ['reactive needs no plan', 'auto', [extracted, reactive], 'extract route reactive'],
    ['a correction', 'plan-first', [extracted, selected, invalid, compiled], 'extract select write write plan'],
    [
      'replanning after 1 + 2 calls',
      'plan-first',
      [extracted, selected, ...times(3, invalid), compiled],
      'extract select write write write write plan',
    ],
    [
      'the fallback after 2 plans of 1 + 2 calls',
      'plan-first',
      [extracted, selected, ...times(6, invalid), compiled],
      'extract select write write write write write write fallback plan',
    ],
    [
      'a name that does not exist selects again, once',
      'plan-first',
      [extracted, selected, ...times(3, unknownName), selected, ...times(3, unknownName), compiled],
      'extract select write write write select write write write fallback plan',
    ],
    [
      'nothing selected twice',
      'plan-first',
      [extracted, noneSelected, noneSelected, compiled],
      'extract select select fallback plan',
    ],
    [
      'nothing selected after a name that does not exist: no plan is written with nothing',
      'plan-first',
      [extracted, selected, ...times(3, unknownName), noneSelected],
      'extract select write write write select fallback',
    ],
    [
      'nothing selected, then something',
      'plan-first',
      [extracted, noneSelected, selected, ...times(3, unknownName), compiled],
      'extract select select write write write write plan',
    ],
    ['a provider that failed for good', 'plan-first', [extracted, failed, compiled], 'extract select fallback plan'],
    ['a fallback that failed', 'plan-first', [failed, failed], 'extract fallback fail'],
    ['a fallback that does not compile', 'plan-first', [failed, invalid], 'extract fallback fail'],
    ['a direct answer that does not compile', 'auto', [extracted, direct, invalid], 'extract route direct fallback'],
    ['a selection that is no selection', 'plan-first', [extracted, invalid], 'extract select fallback'],
    ['a question, answered', 'plan-first', [extracted, selected, asks, compiled], 'extract select write ask plan'],
    [
      'one question too many counts as an invalid reply',
      'plan-first',
      [extracted, selected, ...times(4, asks), compiled],
      'extract select write ask ask ask write plan',
    ],
  ])('%s', (_name, mode, outcomes, path) => {
    expect(walk(outcomes, openPlanning('a goal', mode)).path).toBe(path);
  });

  test('a revision begins with writing, selects nothing and has two plans as well', () => {
    const { path, last } = walk([...times(6, unknownName), compiled], openPlanning('a goal', 'plan-first', 'write'));
    expect(path).toBe('write write write write write write fallback plan');
    expect(last).toMatchObject({ next: 'plan', isFallback: true });
  });
});

describe('Osprey: replanning: a plan that is made anew', () => {
  const anew = { digest: 'd', why: 'w', report: 't', lost: [] };
  const begin = (severity: ErrorClass, before: Partial<Replanned> = {}) =>
    openReplanning('a goal', anew, { plans: 0, classifications: 0, asked: 0, ...before }, { severity, message: 'm' });

  test.each<[string, ErrorClass, Partial<Replanned>, readonly PlanningOutcome[], string]>([
    ['writes', 'REPLANNING', { notes: 'n' }, [compiled], 'write plan'],
    [
      'selects first where the selection is at fault',
      'RECLASSIFICATION',
      { notes: 'n' },
      [selected, compiled],
      'select write plan',
    ],
    ['plans with all where nothing was selected', 'RECLASSIFICATION', {}, [compiled], 'write plan'],
    [
      'selects no third time',
      'RECLASSIFICATION',
      { notes: 'n', classifications: MAX_CLASSIFICATIONS },
      [compiled],
      'write plan',
    ],
    [
      'has the plans that are left',
      'REPLANNING',
      { plans: MAX_PLANS - 1 },
      times(3, invalid),
      'write write write fallback',
    ],
    ['has as many as a goal', 'REPLANNING', {}, times(6, invalid), 'write write write write write write fallback'],
    ['fails without a fallback', 'REPLANNING', {}, [failed, failed], 'write fallback fail'],
  ])('%s', (_, severity, before, outcomes, path) => {
    expect(walk(outcomes, begin(severity, before)).path).toBe(path);
  });

  test('tells the selection what went wrong, and a new plan begins without', () => {
    expect(begin('RECLASSIFICATION', { notes: 'n' })).toMatchObject({ trouble: { message: 'm' }, notes: 'n', anew });
    expect(begin('REPLANNING', { notes: 'n' }).trouble).toBeUndefined();
  });

  test('asks under ids that no question had', () => {
    expect(walk([asks], begin('REPLANNING', { asked: 2 })).last.planning).toMatchObject({ waitsFor: 'planner.3' });
  });

  test('may be made while plans are left', () => {
    expect([0, 1, 2].map((plans) => mayReplan({ plans }))).toEqual([true, true, false]);
  });
});

test('a question waits under an id of its own, and what was answered is kept in order', () => {
  const { last } = walk([extracted, selected, asks, asks], openPlanning('a goal', 'plan-first'));
  expect(last.planning).toMatchObject({ waitsFor: 'planner.2', answers: [ANSWER], calls: 1 });
  const answered = afterAnswer(last.planning, ANSWER);
  expect(answered.answers).toEqual([ANSWER, ANSWER]);
  expect(answered.waitsFor).toBeUndefined();
});

test('Calute: fallback plan: only what no model has made is told as one', () => {
  const made = walk([extracted, selected, compiled], openPlanning('a goal', 'plan-first')).last;
  const fallen = walk([failed, compiled], openPlanning('a goal', 'plan-first')).last;
  expect([made, fallen].map((step) => step.next === 'plan' && step.isFallback)).toEqual([false, true]);
});

test('Osprey: error state: the trouble is told to a correction, and cleared by a new plan', () => {
  const corrected = walk([extracted, selected, invalid], openPlanning('a goal', 'plan-first')).last.planning;
  const replanned = walk([extracted, selected, ...times(3, invalid)], openPlanning('a goal', 'plan-first')).last
    .planning;
  const selectedAgain = walk(
    [extracted, selected, ...times(3, unknownName), selected],
    openPlanning('a goal', 'plan-first'),
  ).last.planning;
  expect(corrected).toMatchObject({ calls: 2, plans: 1, trouble: { message: 'no plan' } });
  expect(replanned).toMatchObject({ calls: 1, plans: 2 });
  expect(replanned.trouble).toBeUndefined();
  expect(selectedAgain).toMatchObject({ calls: 1, plans: 2, classifications: 2 });
  expect(selectedAgain.trouble).toBeUndefined();
});

test('Osprey: reclassification: the selection is told what went wrong', () => {
  const { last } = walk([extracted, selected, ...times(3, unknownName)], openPlanning('a goal', 'plan-first'));
  expect(last.planning).toMatchObject({ stage: 'select', trouble: { severity: 'RECLASSIFICATION' } });
});

const outcomes = fc.constantFrom(
  ...[extracted, selected, noneSelected, direct, planFirst, reactive, compiled, asks, failed, invalid, unknownName],
);

test('Osprey: planning limits: whatever comes, planning ends, within its limits', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('plan-first' as const, 'auto' as const),
      fc.constantFrom('extract' as const, 'write' as const),
      fc.array(outcomes, { minLength: 40, maxLength: 40 }),
      (mode, from, list) => {
        let step: PlanningStep = { next: 'stage', planning: openPlanning('a goal', mode, from) };
        const entered = { select: 0, write: 0, ask: 0, all: 0 };
        const left = [...list];
        while (step.next === 'stage' || step.next === 'ask') {
          if (step.next === 'ask') entered.ask++;
          const planning: Planning = step.next === 'ask' ? afterAnswer(step.planning, ANSWER) : step.planning;
          if (planning.stage === 'select') entered.select++;
          if (planning.stage === 'write') entered.write++;
          entered.all++;
          expect(planning.requests).toBe(entered.all);
          const outcome = left.pop();
          if (outcome === undefined) throw new Error(`no end after ${list.length} stages`);
          step = afterStage(planning, { usage: NO_USAGE, outcome: fitting(planning, outcome) });
        }
        expect(entered.select).toBeLessThanOrEqual(MAX_CLASSIFICATIONS);
        expect(entered.ask).toBeLessThanOrEqual(MAX_PLANNER_QUESTIONS);
        expect(entered.write).toBeLessThanOrEqual(MAX_PLANS * MAX_CALLS_PER_PLAN + MAX_PLANNER_QUESTIONS);
        expect(step.planning.plans).toBeLessThanOrEqual(MAX_PLANS);
        expect(step.planning.classifications).toBeLessThanOrEqual(MAX_CLASSIFICATIONS);
      },
    ),
    { numRuns: 800 },
  );
});

/** What a stage can answer: its own outcome, or one that every stage can have. */
function fitting(planning: Planning, outcome: PlanningOutcome): PlanningOutcome {
  const own: Readonly<Record<Planning['stage'], readonly PlanningOutcome['is'][]>> = {
    extract: ['extracted'],
    route: ['routed'],
    select: ['selected'],
    write: ['compiled', 'asks'],
    direct: ['compiled'],
    fallback: ['compiled'],
  };
  const may = [...own[planning.stage], 'invalid', 'failed'];
  return may.includes(outcome.is) ? outcome : invalid;
}

test.each([
  [undefined, undefined, undefined],
  [1, 2, 3],
  [1, undefined, undefined],
])('the money is known as long as that of each call is: %s + %s', (a, b, sum) => {
  const of = (cost: number | undefined) => ({
    ...NO_USAGE,
    calls: 1,
    inputTokens: 2,
    ...(cost !== undefined && { cost }),
  });
  expect(addUsage(of(a), of(b))).toEqual({
    ...NO_USAGE,
    calls: 2,
    inputTokens: 4,
    ...(sum !== undefined && { cost: sum }),
  });
  expect(addUsage(NO_USAGE, of(a))).toEqual(of(a));
});
