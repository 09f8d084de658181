/** The rounds of a loop in the turns of its run: when the next decision is made, and when none is. */

import { expect, test } from 'vitest';
import { MAX_STEP_REJECTIONS, openLoop } from '../../../src/workflows/loop/loop.ts';
import { subjectOf, openRun } from '../../../src/workflows/run/run.ts';
import { type PlanShape, NO_USAGE } from '../../../src/protocol/index.ts';
import { beginTask } from '../../../src/workflows/run/tasks.ts';
import { failureToReport } from '../../../src/workflows/run/ending.ts';
import {
  AT,
  BROKE,
  DIGEST,
  executor,
  failed,
  handle,
  landed,
  NO_PROJECT,
  openedRun,
  say,
  turn,
  wideShape,
} from './make-run.ts';

test('the tenth rejection in a row ends the loop, and buys no further decision', () => {
  const run = openedRun(wideShape(1, { executors: [executor('at-most-once')] }), { maxRejections: 99 });
  const loop = openLoop({ goal: 'Set it' }, 50);
  run.state.loop = Object.assign(loop, {
    round: MAX_STEP_REJECTIONS,
    rejections: MAX_STEP_REJECTIONS - 1,
    step: { round: MAX_STEP_REJECTIONS, summary: 'Set it' },
  });
  say(run, 'decide', { kind: 'reject', digest: DIGEST.slice(0, 8), by: 'operator' });
  const orders = turn(run);
  expect(run.state.approval).toMatchObject({ phase: 'closed', closed: { outcome: 'rejected' } });
  expect([Object.values(run.tasks).map(({ kind }) => kind), orders.begin, loop.round]).toEqual([
    [],
    [],
    MAX_STEP_REJECTIONS,
  ]);
});

test('a chat that is only answered asks nobody; any other plan of the same run does', () => {
  const { state } = openedRun(wideShape(1), { approval: 'required' });
  const rulesOf = (planShape: PlanShape, isAnswer: boolean) =>
    subjectOf({ ...state, made: isAnswer ? 'answer' : 'plan' }, planShape).rules;
  const answer = wideShape(1, { executors: [executor('read', 'respond')] });
  const search = wideShape(1, { executors: [executor('read', 'search')] });
  expect([rulesOf(answer, true), rulesOf(answer, false), rulesOf(search, true)]).toEqual([
    [{ effect: 'idempotent' }],
    [{}],
    [{}],
  ]);
});

test('nothing is begun in a closed run but what a reply waits for', () => {
  const run = openedRun(wideShape(1));
  say(run, 'decide', { kind: 'reject', digest: DIGEST.slice(0, 8), by: 'operator' });
  turn(run);
  Object.assign(run.state.approval, { phase: 'closed' });
  const before = run.lastTaskId;
  const kinds = [
    { kind: 'decide' },
    { kind: 'plan' },
    { kind: 'draft' },
    { kind: 'report' },
    { kind: 'node', node: 0 },
  ] as const;
  expect(kinds.map((work) => beginTask(run, work))).toEqual(kinds.map(() => false));
  expect(run.lastTaskId).toBe(before);
});

test('the report on a loop counts the steps of all its rounds, and names the last 50 of each kind', () => {
  const run = openRun('plan-1', AT);
  run.state.loop = openLoop({ goal: 'Find it' }, 60);
  for (let round = 1; round <= 60; round += 1) {
    const decide = Math.max(...turn(run).begin);
    const planShape = wideShape(1, { digest: round.toString(16).padStart(64, '0') });
    const decision = { is: 'step', summary: `look ${round}`, planShape };
    landed(run, decide, { decision, notes: 'n', usage: NO_USAGE, project: NO_PROJECT });
    say(run, 'approve', { digest: planShape.digest, by: 'operator' });
    const node = Math.max(...Object.keys(run.tasks).map(Number));
    if (round % 10 === 0) landed(run, node, handle('r'));
    else failed(run, node, { status: 'failed', ...BROKE });
  }
  turn(run);
  expect(run.state.failure?.type).toBe('IterationLimit');
  const { counts, done, failed: named } = failureToReport(run);
  expect([counts, done.length, named.length]).toEqual([{ done: 6, failed: 54 }, 6, 50]);
  expect([done[0], named.at(-1)]).toEqual(['step_10: look 10', 'step_59: look 59']);
});
