/** While the run is replanning: words of people, a model that is away, the end of a budget, a part, another history. */

import { describe, expect, test } from 'vitest';
import { packEnds } from '../../../src/protocol/index.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import { statusOf } from '../../../src/workflows/views/views.ts';
import {
  AT,
  bring,
  editOf,
  handle,
  landed,
  applyEdit,
  later,
  progressOf,
  say,
  sayAndWait,
  shapeOf,
  turn,
  underWay,
  takenUp,
  writtenOf,
} from './make-run.ts';
import { done, endedWith, news, onlyPart, partRun, partShape, scheduled } from './parts/part-run.ts';
import {
  anew,
  breaks,
  brokenRun,
  invalid,
  JOINED,
  planned,
  PLANNER,
  planningWork,
  REJOINED,
  replanRun,
  unapprovedRun,
} from './replan-run.ts';

function turned(run: Run): Run {
  for (let turns = 0; turns < 3; turns += 1) turn(run);
  return run;
}

describe('a person meanwhile', () => {
  /** A person may still decide on the other part of the plan. */
  function half(options = {}) {
    const run = unapprovedRun(JOINED, { maxRejections: 2, ...options });
    say(run, 'decide', { kind: 'approve-part', nodes: ['node_2'], digest: '3fa9c1d2', by: 'operator' });
    breaks(run, 1);
    return run;
  }

  test('has the node repeated: that is another way, and the plan stays', () => {
    const run = brokenRun();
    const id = planningWork(run)!;
    say(run, 'control', { action: 'retry-node', node: 'node_2', by: 'operator' });
    turn(run);
    expect([run.tasks[id]?.stopping, underWay(run)]).toEqual(['the run, which has no use for it', [1]]);
    const usage = { ...run.state.usage };
    planned(run, REJOINED, AT, id);
    expect([statusOf(run).revision, run.state.usage.calls]).toEqual([1, usage.calls + 1]);
    breaks(run, 1);
    expect(run.state.planning).toMatchObject({ plans: 1 });
  });

  test('edits: the plan of the person comes before, and what the planner had is not used', () => {
    const run = half();
    const id = planningWork(run)!;
    const said = sayAndWait(run, 'decide', editOf(run));
    expect([run.state.planning, run.tasks[id]?.stopping !== undefined]).toEqual([undefined, true]);
    applyEdit(run, said, { ...JOINED, digest: 'd'.repeat(64) }, [0, -1, -1]);
    planned(run, REJOINED, AT, id);
    expect(statusOf(run)).toMatchObject({ revision: 2, digest: 'd'.repeat(64) });
    turn(run);
    expect(planningWork(run)).toBeUndefined();
  });

  test('whose edit is refused has the plan made anew after all, under another key', () => {
    const run = half();
    const id = planningWork(run)!;
    const { work } = sayAndWait(run, 'decide', editOf(run));
    landed(run, work, { ok: false, issues: [] });
    turn(run);
    expect(planningWork(run)).toBeUndefined();
    planned(run, REJOINED, AT, id);
    expect([planningWork(run) !== undefined, run.state.plannings, run.state.planning?.plans]).toEqual([true, 2, 1]);
  });

  test('rejects: the plan waits for an edit of a person, not for one of a model', () => {
    const run = half();
    say(run, 'reject', { digest: '3fa9c1d2', by: 'reviewer' });
    turn(run);
    expect([run.state.planning, run.state.approval.rejected]).toEqual([undefined, true]);
  });

  test('approves the plan that is made anew: nothing of it starts', () => {
    const run = half();
    expect(say(run, 'approve', { digest: '3fa9c1d2', by: 'operator' })).toMatchObject({ ok: true });
    turn(run);
    expect([underWay(run), planningWork(run) !== undefined]).toEqual([[], true]);
  });

  test('takes an approval back: the run is replanning all the same, and asks', () => {
    const run = brokenRun();
    say(run, 'decide', { kind: 'withdraw', digest: '3fa9c1d2', by: 'operator' });
    planned(run, REJOINED);
    expect(questionsOf(run)[0]?.nodes).toEqual(['node_2', 'node_3']);
  });

  test('pauses: nothing is planned before the run goes on', () => {
    const run = replanRun(JOINED);
    bring(run, 0, handle('r0'));
    say(run, 'control', { action: 'pause', by: 'operator' });
    breaks(run, 1);
    turn(run, later(60_000));
    expect(run.state.planning).toBeUndefined();
    say(run, 'control', { action: 'resume', by: 'operator' });
    turn(run, later(60_000));
    expect(planningWork(run)).toBeDefined();
  });

  test('kills it, or cancels it through Temporal', () => {
    const run = brokenRun();
    say(run, 'control', { action: 'kill', by: 'operator', comment: 'enough' });
    turn(run);
    expect(statusOf(run)).toMatchObject({ phase: 'closed', outcome: 'aborted' });
    expect(planningWork(run)).toBeUndefined();
  });
});

describe('a model that is away while the run is replanning', () => {
  const AWAY = { deferred: 'model', reason: 'the model server: local answered 503', patienceMs: 60_000 } as const;
  const away = (answerDeadlineMs = 60_000) => {
    const run = brokenRun({ answerDeadlineMs });
    landed(run, planningWork(run)!, AWAY);
    turn(run);
    return run;
  };

  test('is waited for; then a person is asked, and without a word there is the fallback, which a person approves', () => {
    const run = away();
    for (const id of turn(run, later(60_000)).begin) landed(run, id, AWAY, later(60_000));
    expect(questionsOf(run)[0]?.text).toContain('fallback goes on to a plan that no model has made');
    turn(run, later(120_000));
    expect(run.state.planning).toMatchObject({ stage: 'fallback', plans: 1 });
    planned(run, anew(shapeOf([[]]), [-1]), later(120_000));
    expect(statusOf(run)).toMatchObject({ phase: 'awaiting-approval', fallback: true });
  });

  test('is waited for no more once nobody wants the plan', () => {
    const run = away();
    say(run, 'control', { action: 'retry-node', node: 'node_2', by: 'operator' });
    turn(run);
    expect([run.state.backoff, planningWork(run), underWay(run)]).toEqual([undefined, undefined, [1]]);
    bring(run, 1, handle('r1'), later(200_000));
    turn(run, later(200_000));
    expect(underWay(run)).toEqual([2]);
  });
});

describe('a budget', () => {
  const spent = (onEnd: 'ask' | 'partial' | 'stop') => {
    const run = brokenRun({ budget: { tokens: 10, onEnd } });
    planned(run, invalid());
    return run;
  };

  test('that ends meanwhile ends it: what there is, or nothing', () => {
    expect(statusOf(turned(spent('partial')))).toMatchObject({ outcome: 'partial' });
    expect(statusOf(turned(spent('stop')))).toMatchObject({ outcome: 'failed' });
  });

  test('is asked about, and given again it goes on', () => {
    const run = spent('ask');
    expect(questionsOf(run)[0]?.text).toMatch(
      /^the budget is spent: 10 of 10 tokens; resume .*, fallback makes no other plan/,
    );
    say(run, 'control', { action: 'resume', by: 'operator' });
    turn(run);
    expect(planningWork(run)).toBeDefined();
  });

  test('is asked about, and a person ends with what there is', () => {
    const run = spent('ask');
    say(run, 'control', { action: 'fallback', by: 'operator' });
    expect(statusOf(turned(run))).toMatchObject({ outcome: 'partial' });
  });

  test('that has ended before lets no other plan be made', () => {
    const run = replanRun(shapeOf([[]]), { budget: { tokens: 10, onEnd: 'partial' } });
    run.state.account!.exhausted = true;
    breaks(run, 0);
    expect(planningWork(run)).toBeUndefined();
  });
});

test('a part is told to stop where a node that it gave back needs another plan, and its other nodes come back', () => {
  const run = partRun(partShape([[], [], []]), { onFailure: 'replan' });
  run.state.project = PLANNER;
  const [name, part] = onlyPart(run);
  scheduled(run, name);
  news(run, [], [0]);
  turn(run);
  const halted = breaks(run, 0).cancelParts;
  expect([halted, part.isCancelled, planningWork(run)]).toEqual([[name], true, undefined]);
  endedWith(run, name, { ok: true, value: packEnds([done(1)]) });
  turn(run);
  expect(progressOf(run).status).toEqual(['failed', 'succeeded', 'pending']);
  expect(run.state.planning?.anew?.report).toMatch(/done; .*\n- node_2.*\nnot begun:\n- node_3$/s);
});

test.each([
  'while what is under way is waited for',
  'while the planner is at work',
  'while a question is open',
  'afterwards',
])('the run goes on in another history %s', (when) => {
  const run = replanRun(JOINED);
  if (when !== 'while what is under way is waited for') bring(run, 0, handle('r0'));
  breaks(run, 1);
  if (when === 'while a question is open') planned(run, { is: 'asks', question: { text: 'Which?' } });
  if (when === 'afterwards') planned(run, REJOINED);
  const next = takenUp(run);
  expect(writtenOf(next)).toBe(writtenOf(run));
  expect(statusOf(next)).toEqual(statusOf(run));
  for (const one of [run, next]) {
    if (when === 'while what is under way is waited for') {
      bring(one, 0, handle('r0'));
      turn(one);
    }
    if (when === 'while a question is open') {
      say(one, 'answer', { question: 'planner.1', value: 'b', by: 'operator' });
      turn(one);
    }
    if (when !== 'afterwards') planned(one, REJOINED);
  }
  expect(writtenOf(next)).toBe(writtenOf(run));
  expect(statusOf(next)).toMatchObject({ revision: 2, replanned: { times: 1 } });
});
