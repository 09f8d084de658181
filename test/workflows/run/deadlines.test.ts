/** Nothing waits for ever: until when a run waits for whom, and what silence means then. */

import { describe, expect, test } from 'vitest';
import { clockText } from '../../../src/plan/text/index.ts';
import { nextDeadline, passDeadlines } from '../../../src/workflows/run/deadlines.ts';
import { statusOf } from '../../../src/workflows/views/views.ts';
import { receive } from '../../../src/workflows/run/talk/inbox.ts';
import { closeUnanswered, applyDefault } from '../../../src/workflows/run/talk/questions.ts';
import {
  approvedRun,
  bring,
  BROKE,
  editOf,
  executor,
  failed,
  handle,
  landed,
  applyEdit,
  later,
  openedRun,
  progressOf,
  say,
  sayAndWait,
  shapeOf,
  turn,
} from './make-run.ts';
import { answer, asking, WHICH } from './asking-run.ts';

describe('silence about a question', () => {
  test('takes the default, once it is stored', () => {
    const run = asking([{ ...WHICH, default: 'd', deadlineMs: 300 }, WHICH, WHICH]);
    expect(nextDeadline(run)).toBe(later(300));
    const [work] = turn(run, later(300)).begin;
    expect(run.tasks[work!]).toMatchObject({ kind: 'default', request: { node: 'node_1', value: 'd' } });
    expect(turn(run, later(400)).begin).toEqual([]);
    // While it is stored, nobody can answer any more.
    expect(say(run, 'answer', answer(1, 'a'), later(300))).toMatchObject({ ok: false, refusal: 'too-late' });
    landed(run, work!, { ok: true, handle: handle('default') }, later(301));
    expect(progressOf(run).handles[0]?.ref).toBe('default');
    expect(run.state.trace.entries.at(-1)?.text).toContain('its default was taken');
  });

  test.each([
    ['fails the node', 'fail', 'failed'],
    ['asks what is to be done where failures ask', 'ask', 'failed'],
  ] as const)('without a default %s', (_, onFailure, status) => {
    const run = asking(undefined, { onFailure });
    expect(turn(run, later(1000)).begin).toEqual([]);
    expect(progressOf(run).status.slice(0, 3)).toEqual([status, status, status]);
    expect(Object.keys(run.execution!.unsettled).length).toBe(onFailure === 'ask' ? 3 : 0);
    expect(progressOf(run).status[3]).toBe(onFailure === 'ask' ? 'pending' : 'skipped');
    expect(progressOf(run).failures[0]).toMatchObject({
      type: 'Timeout.ANSWER',
      message: `nobody answered until ${clockText(later(1000))}: which?`,
    });
  });

  test.each([
    ['does not fit', { ok: false, reason: 'expected a number' }, 'its default does not fit (expected a number)'],
    ['cannot be stored', undefined, 'its default could not be stored (broke)'],
  ])('fails the node too where its default %s', (_, stored, reason) => {
    const run = asking([{ ...WHICH, default: 'd', deadlineMs: 300 }, WHICH, WHICH]);
    const [work] = turn(run, later(300)).begin;
    if (stored === undefined) failed(run, work!, { ...BROKE, status: 'failed' }, later(300));
    else landed(run, work!, stored, later(300));
    const message = `${reason}, and nobody answered until ${clockText(later(300))}: which?`;
    expect(progressOf(run).failures[0]).toMatchObject({ type: 'Timeout.ANSWER', message });
  });

  test('leaves a question alone that was answered while its default was stored', () => {
    const run = asking([{ ...WHICH, default: 'd' }, WHICH, WHICH]);
    passDeadlines(run, later(1000));
    delete run.state.questions['3fa9c1d2.node_1'];
    applyDefault(run, '3fa9c1d2.node_1', handle('default'), later(1001));
    closeUnanswered(run, '3fa9c1d2.node_1', later(1001));
    expect(progressOf(run).status[0]).toBe('waiting');
  });

  test('is not held against an answer that is being stored', () => {
    const run = asking();
    const { work } = sayAndWait(run, 'answer', answer(1, 'a'), later(999));
    expect(turn(run, later(1000)).due).toBe(later(601_000));
    expect(Object.keys(run.state.questions).length).toBe(3);
    landed(run, work, { ok: true, handle: handle('r') }, later(1500));
    turn(run, later(1500));
    expect(progressOf(run).status).toEqual(['succeeded', 'failed', 'failed', 'running']);
  });

  test('is held against it after ten minutes', () => {
    const run = asking();
    sayAndWait(run, 'answer', answer(1, 'a'), later(999));
    turn(run, later(600_999));
    expect(Object.keys(run.state.questions).length).toBe(3);
    turn(run, later(601_000));
    expect(Object.keys(run.state.questions).length).toBe(0);
  });
});

describe('silence about a plan', () => {
  const approve = { digest: '3fa9c1d2', by: 'operator' };
  const waiting = () => openedRun(shapeOf([[], []]), { approvalDeadlineMs: 1000 });

  test('closes the run, at the deadline and not before', () => {
    const run = waiting();
    expect(nextDeadline(run)).toBe(later(1000));
    turn(run, later(999));
    expect(statusOf(run).phase).toBe('awaiting-approval');
    turn(run, later(1000));
    expect(statusOf(run)).toMatchObject({ phase: 'closed', outcome: 'expired' });
    expect(nextDeadline(run)).toBeUndefined();
  });

  test('is broken by what was said in time, also where the run looks at it later', () => {
    const run = waiting();
    receive(run, { name: 'approve', payload: approve, at: later(1000) });
    expect(turn(run, later(5000)).replies).toMatchObject([{ reply: { ok: true } }]);
    expect(statusOf(run).phase).toBe('running');
  });

  test('is not broken by what was said after it', () => {
    const run = waiting();
    receive(run, { name: 'approve', payload: approve, at: later(1001) });
    expect(turn(run, later(5000)).replies).toMatchObject([{ reply: { refusal: 'too-late' } }]);
    expect(statusOf(run).outcome).toBe('expired');
  });

  test('waits for an edit that was heard in time, and begins anew with its plan', () => {
    const run = waiting();
    const compiling = sayAndWait(run, 'decide', editOf(run), later(900));
    expect(turn(run, later(2000)).due).toBe(later(601_000));
    const planShape = shapeOf([[]], { digest: 'e'.repeat(64) });
    expect(applyEdit(run, compiling, planShape, [-1], later(3000))).toMatchObject({ ok: true });
    expect(turn(run, later(3000)).due).toBe(later(4000));
  });

  test('stands still while nobody is asked', () => {
    const run = waiting();
    say(run, 'decide', { kind: 'approve-part', nodes: ['node_1'], ...approve });
    say(run, 'control', { action: 'skip-node', node: 'node_2', by: 'operator' });
    expect(turn(run, later(9000)).due).toBeUndefined();
    expect(statusOf(run).phase).toBe('running');
  });
});

test('what nobody settles stays as it is, each at its own time', () => {
  const executors = [executor('at-most-once')];
  const run = approvedRun(shapeOf([[], [], []], { executors }), { answerDeadlineMs: 1000 });
  bring(run, 0, { ...BROKE, status: 'uncertain' });
  bring(run, 1, { ...BROKE, status: 'uncertain' }, later(400));
  expect(turn(run, later(500)).due).toBe(later(1000));
  expect(turn(run, later(1000)).due).toBe(later(1400));
  expect(Object.keys(run.execution!.unsettled).map(Number)).toEqual([1]);
  turn(run, later(1400));
  expect(Object.keys(run.execution!.unsettled).length).toBe(0);
  expect(run.state.trace.entries.at(-1)?.text).toBe(
    `node_2 stays uncertain: nobody settled it until ${clockText(later(1400))}`,
  );
});
