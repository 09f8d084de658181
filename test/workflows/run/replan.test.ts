/** The open plan is made anew: when, with what the planner is told, what is kept, what asks, and how often. */

import { describe, expect, test } from 'vitest';
import { permissionOf } from '../../../src/workflows/run/may-begin.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import { statusOf } from '../../../src/workflows/views/views.ts';
import { bring, edit, executor, handle, later, progressOf, say, shapeOf, turn, underWay } from './make-run.ts';
import {
  anew,
  breaks,
  brokenRun,
  GONE,
  invalid,
  JOINED,
  planned,
  planningWork,
  REJOINED,
  replanRun,
  told,
  unapprovedRun,
} from './replan-run.ts';

const EFFECTS = [executor('read'), executor('at-most-once', 'pay'), executor('idempotent', 'write')];

describe('what another plan may cure', () => {
  test.each([
    ['REPLANNING', true],
    ['RECLASSIFICATION', true],
    ['NotApplied', true],
    ['RETRIABLE', false],
    ['CRITICAL', false],
    ['FATAL', false],
    ['PlanFailed', false],
    ['BudgetSpent', false],
    ['Timeout.START_TO_CLOSE', false],
  ])('Osprey: the router: %s: %s', (type, isCured) => {
    const run = replanRun(shapeOf([[], [0]]));
    breaks(run, 0, type);
    expect(planningWork(run) !== undefined).toBe(isCured);
    expect(run.state.failure?.type).toBe(isCured ? undefined : 'PlanFailed');
  });

  test.each(['fail', 'partial', 'ask'] as const)('is no matter under onFailure "%s"', (onFailure) => {
    const run = replanRun(JOINED, { onFailure });
    breaks(run, 1);
    bring(run, 0, handle('r0'));
    turn(run);
    expect([planningWork(run), run.state.planning]).toEqual([undefined, undefined]);
  });

  test('an effect at most once that may have happened is uncertain first: a person settles it, then the run is replanning', () => {
    const planShape = shapeOf([[], []], { executors: EFFECTS, executorOf: [1, 0] });
    const run = replanRun(planShape);
    bring(run, 1, { ...GONE });
    bring(run, 0, { ...GONE, status: 'uncertain' });
    turn(run);
    expect([planningWork(run), questionsOf(run)[0]?.kind]).toEqual([undefined, 'uncertain']);
    const settled = { action: 'resolve', node: 'node_1', outcome: 'failed', by: 'operator' };
    expect(say(run, 'control', settled)).toMatchObject({ ok: true });
    turn(run);
    expect(run.state.planning?.anew?.lost).toEqual(['node_1', 'node_2']);
  });

  test('an effect that nobody settles stays uncertain: no plan goes on from what nobody knows', () => {
    const run = replanRun(shapeOf([[]], { executors: EFFECTS, executorOf: [1] }), { answerDeadlineMs: 1000 });
    bring(run, 0, { ...GONE, status: 'uncertain' });
    turn(run, later(1000));
    turn(run, later(1001));
    expect(run.state.failure).toMatchObject({
      type: 'PlanFailed',
      message: expect.not.stringContaining('anew') as string,
    });
  });

  test('a step of a loop is an observation, as ever', () => {
    const run = replanRun(shapeOf([[]]));
    run.state.loop = {
      task: { goal: 'g' },
      round: 1,
      maxRounds: 5,
      wrong: 0,
      attempts: 5,
      rejections: 0,
      step: { round: 1, summary: 's' },
    };
    breaks(run, 0);
    expect(run.state.loop.observation).toMatchObject({ status: 'failed', message: GONE.message });
    expect(planningWork(run)).toBeUndefined();
  });
});

describe('before the planner is asked', () => {
  const WIDE = shapeOf([[], [], [], [0], [1]]);

  test('what is under way is waited for, nothing starts, and one plan is made of all that has failed', () => {
    const run = replanRun(WIDE, { concurrency: 3 });
    breaks(run, 0);
    bring(run, 1, handle('r1'));
    turn(run);
    expect([underWay(run), planningWork(run)]).toEqual([[2], undefined]);
    breaks(run, 2);
    expect(run.state.planning?.anew).toMatchObject({
      lost: ['node_1', 'node_3'],
      why: expect.stringMatching(/^node_1 \(node 0\) failed as REPLANNING: .*; and 1 more node$/) as string,
    });
  });

  test('what lasts is not waited for, and goes on', () => {
    const run = replanRun(WIDE);
    expect(breaks(run, 0).due).toBe(later(30_000));
    turn(run, later(29_999));
    expect(planningWork(run)).toBeUndefined();
    turn(run, later(30_000));
    expect([planningWork(run) !== undefined, underWay(run)]).toEqual([true, [1, 2]]);
    planned(run, anew(shapeOf([[], [], []]), [-1, 1, 2]), later(40_000));
    bring(run, 1, handle('r1'), later(50_000));
    expect(progressOf(run).status[1]).toBe('succeeded');
  });

  test('no effect of it begins, also one that has a worker', () => {
    const run = replanRun(shapeOf([[], [], []], { executors: EFFECTS, executorOf: [0, 1, 0] }));
    const ids = Object.keys(run.tasks).map(Number);
    breaks(run, 0);
    expect(ids.map((id) => permissionOf(run, id).ok)).toEqual([false, false, true]);
  });

  test('the planner is told of every node by the id that it has in the plan', () => {
    const run = replanRun(shapeOf([[], [], [0, 1]], { contextKeys: ['genes', 'list', 'user_response'] }));
    bring(run, 0, handle('r0'));
    breaks(run, 1);
    expect(run.state.planning?.anew?.report).toBe(
      [
        'failed:',
        '- list, REPLANNING: there is no list gone',
        'done; the result is kept where the node stays exactly as it is:',
        '- genes, 3 records',
        'skipped, since what it needs has no result or a person said so:',
        '- user_response',
      ].join('\n'),
    );
  });

  test('people see why: in the status, in the trace, before the nodes', () => {
    const run = brokenRun();
    const why = 'node_2 (node 1) failed as REPLANNING: there is no list gone';
    expect(statusOf(run)).toMatchObject({ phase: 'running', planning: { stage: 'write', plan: 1, call: 1, why } });
    expect(told(run, 'planned')).toEqual([`${why}; replanning`]);
  });
});

describe('the plan that was made anew', () => {
  test('keeps what is done, and asks about every other node under "required", reads too', () => {
    const run = brokenRun();
    planned(run, REJOINED);
    expect(progressOf(run).status).toEqual(['reused', 'pending', 'pending']);
    const [item] = questionsOf(run);
    expect(item).toMatchObject({ kind: 'approval', revision: 2, nodes: ['node_2', 'node_3'] });
    expect(item?.text).toMatch(
      /It was replanned, since node_2 \(node 1\) failed as REPLANNING: there is no list gone\./,
    );
    expect(statusOf(run)).toMatchObject({ phase: 'awaiting-approval', replanned: { times: 1, revision: 2 } });
    say(run, 'approve', { digest: 'eeeeeeee', by: 'operator' });
    expect(underWay(run)).toEqual([1]);
  });

  test('asks about reads no more once somebody has approved it', () => {
    const run = brokenRun({ maxRejections: 3 });
    planned(run, REJOINED);
    say(run, 'approve', { digest: 'eeeeeeee', by: 'operator' });
    say(run, 'decide', { kind: 'withdraw', digest: 'eeeeeeee', by: 'operator' });
    edit(run, { ...JOINED, digest: 'd'.repeat(64) }, [0, -1, -1]);
    expect(questionsOf(run)[0]?.nodes).toEqual(['node_2', 'node_3']);
  });

  test.each([
    ['effects', undefined],
    ['required', ['node_2', 'node_3']],
    [{ rules: [{}] }, ['node_2', 'node_3']],
    [{ rules: [{ effect: 'idempotent' }] }, undefined],
  ] as const)('of reads alone, under %j', (approval, nodes) => {
    const run = brokenRun({ approval });
    planned(run, REJOINED);
    expect(questionsOf(run)[0]?.nodes).toEqual(nodes);
    expect(underWay(run)).toEqual(nodes === undefined ? [1] : []);
  });

  test('an effect that is unchanged and done stays done; one that has not begun stays approved', () => {
    const planShape = shapeOf([[], [], []], { executors: EFFECTS, executorOf: [1, 0, 2], after: { 2: [0] } });
    const run = replanRun(planShape, { approval: 'effects' });
    bring(run, 0, handle('r0'));
    breaks(run, 1);
    expect(underWay(run)).toEqual([]);
    planned(run, anew(planShape, [0, -1, 2]));
    expect([progressOf(run).status, questionsOf(run)]).toEqual([['reused', 'running', 'running'], []]);
  });

  test.each([
    ['was left out', shapeOf([[]], { executors: EFFECTS, executorOf: [2] }), [1]],
    ['has changed', shapeOf([[], []], { executors: EFFECTS, executorOf: [0, 2], after: { 1: [0] } }), [-1, 1]],
  ])('an unchanged effect asks again where the check before it %s', (_, next, sameAs) => {
    const checked = shapeOf([[], []], { executors: EFFECTS, executorOf: [0, 2], after: { 1: [0] } });
    const run = unapprovedRun(checked, { approval: 'effects' });
    say(run, 'approve', { digest: '3fa9c1d2', by: 'operator' });
    breaks(run, 0);
    planned(run, anew(next, sameAs));
    expect(questionsOf(run)[0]?.nodes).toEqual([`node_${next.inputs.length}`]);
    expect(underWay(run)).toEqual(next.inputs.length === 1 ? [] : [0]);
  });

  test('never runs without a person where no model has made it', () => {
    const run = brokenRun({ approval: 'effects' });
    planned(run, { is: 'failed', trouble: { severity: 'CRITICAL', message: 'no credit' } });
    expect(run.state.planning?.stage).toBe('fallback');
    planned(run, anew(shapeOf([[]]), [-1]));
    expect(statusOf(run)).toMatchObject({ phase: 'awaiting-approval', fallback: true });
    expect(questionsOf(run)[0]?.text).toContain('the fallback plan');
  });
});

describe('how often', () => {
  test('twice; then the run fails as it would have, and says so', () => {
    const run = brokenRun({ approval: 'effects' });
    for (const round of [1, 2]) {
      planned(run, anew({ ...JOINED, digest: `${round}`.repeat(64) }, [0, -1, -1]));
      breaks(run, 1);
    }
    expect(planningWork(run)).toBeUndefined();
    turn(run);
    expect(run.state.failure).toMatchObject({
      type: 'PlanFailed',
      message: 'node_2 failed: there is no list gone (node 1); it was replanned twice',
    });
  });

  test('counts every plan that was begun: one that took two leaves none', () => {
    const run = brokenRun({ approval: 'effects' });
    for (let call = 0; call < 3; call += 1) planned(run, invalid());
    expect(run.state.planning).toMatchObject({ stage: 'write', plans: 2, calls: 1 });
    planned(run, REJOINED);
    breaks(run, 1);
    turn(run);
    expect(run.state.failure?.message).toMatch(/; it was replanned once$/);
  });

  test('no valid plan and no fallback: the run fails as it would have, and says why', () => {
    const run = brokenRun();
    for (let call = 0; call < 6; call += 1) planned(run, invalid());
    expect(run.state.planning?.stage).toBe('fallback');
    planned(run, { is: 'failed', trouble: { severity: 'CRITICAL', message: 'there are no agents' } });
    turn(run);
    expect(run.state.failure).toMatchObject({
      type: 'PlanFailed',
      message: 'node_2 failed: there is no list gone (node 1); then no other plan came of it: there are no agents',
    });
  });

  test('and never more revisions than the run may have', () => {
    const run = brokenRun({ maxRevisions: 1 });
    turn(run);
    expect([planningWork(run), run.state.failure?.type]).toEqual([undefined, 'PlanFailed']);
  });

  test('RECLASSIFICATION selects anew where something was selected, twice at most; else it plans with all', () => {
    const selected = { plans: 0, classifications: 0, asked: 0, made: 0, notes: 'notes' };
    const of = (replans: object | undefined, type = 'RECLASSIFICATION') => {
      const run = replanRun(shapeOf([[], [0]]));
      if (replans !== undefined) Object.assign(run.state, { replans: { ...selected, ...replans } });
      breaks(run, 0, type);
      const { stage, notes, trouble } = run.state.planning ?? {};
      return [stage, notes, trouble?.severity];
    };
    expect(of(undefined)).toEqual(['write', undefined, undefined]);
    expect(of({})).toEqual(['select', 'notes', 'RECLASSIFICATION']);
    expect(of({ classifications: 2 })).toEqual(['write', 'notes', undefined]);
    expect(of({}, 'REPLANNING')).toEqual(['write', 'notes', undefined]);
  });

  test('every planning buys under a key of its own, and its questions have ids of their own', () => {
    const run = brokenRun();
    expect(run.state.plannings).toBe(1);
    planned(run, { is: 'asks', question: { text: 'Which list?' } });
    expect(questionsOf(run).map(({ id }) => id)).toEqual(['planner.1']);
    say(run, 'answer', { question: 'planner.1', value: 'b', by: 'operator' });
    turn(run);
    expect(run.state.editors).toEqual(['operator']);
    planned(run, REJOINED);
    say(run, 'approve', { digest: 'eeeeeeee', by: 'operator' });
    breaks(run, 1);
    planned(run, { is: 'asks', question: { text: 'And now?' } });
    expect([run.state.plannings, questionsOf(run).map(({ id }) => id)]).toEqual([2, ['planner.2']]);
  });
});
