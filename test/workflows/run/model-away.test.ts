/** A model's server that is away: the run waits for it with whatever asks it, then asks a person, and goes on. */

import { describe, expect, test } from 'vitest';
import { type Deferral, openPlanning } from '../../../src/protocol/index.ts';
import { backOffRun } from '../../../src/workflows/run/backoff.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import { statusOf } from '../../../src/workflows/views/views.ts';
import { openRun } from '../../../src/workflows/run/run.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import {
  approvedRun,
  AT,
  bring,
  handle,
  landed,
  later,
  NO_PROJECT,
  say,
  turn,
  underWay,
  wideShape,
  takenUp,
} from './make-run.ts';

const MINUTE = 60_000;
const AWAY: Deferral = { deferred: 'model', reason: 'the model server: local answered 503', patienceMs: 30 * MINUTE };

function planningRun(answerDeadlineMs = 24 * 60 * MINUTE): Run {
  const run = openRun('plan-1', AT);
  run.state.options = { ...run.state.options, answerDeadlineMs };
  run.state.planning = openPlanning('Find genes', 'plan-first');
  return run;
}

function loopRun(answerDeadlineMs = 24 * 60 * MINUTE): Run {
  const run = openRun('plan-1', AT);
  run.state.options = { ...run.state.options, answerDeadlineMs };
  run.state.loop = { task: { goal: 'g' }, round: 0, maxRounds: 5, wrong: 0, attempts: 5, rejections: 0 };
  run.state.project = NO_PROJECT;
  return run;
}

/** Whatever begins finds the server away, from `from` on for `ms`. @returns when something began */
function away(run: Run, ms: number, from = 0, reply = AWAY): number[] {
  const began: number[] = [];
  for (let at = from; ;) {
    const { begin, due, hasMore } = turn(run, later(at));
    for (const id of begin) {
      began.push(at);
      landed(run, id, reply, later(at));
    }
    if (begin.length > 0 || hasMore) continue;
    if (due === undefined || Date.parse(due) - Date.parse(AT) > from + ms) return began;
    at = Date.parse(due) - Date.parse(AT);
  }
}

test('a server that asks for a pause is not asked before its end, and a person when patience is over', () => {
  const run = planningRun();
  const asking = { ...AWAY, pauseMs: 180 * MINUTE };
  expect(away(run, 29 * MINUTE, 0, asking)).toEqual([0]);
  expect(questionsOf(run)).toEqual([]);
  expect(away(run, 180 * MINUTE, 29 * MINUTE, asking)).toEqual([180 * MINUTE]);
  expect(questionsOf(run)).toHaveLength(1);
});

const held = (run: Run) => run.state.trace.entries.filter(({ what }) => what === 'held').map(({ text }) => text);

describe.each([
  ['a planning', planningRun],
  ['a loop', loopRun],
])('%s whose model is away', (_, open) => {
  test('tries again after pauses that grow to a minute, and says when', () => {
    const run = open();
    const tries = away(run, 10 * MINUTE);
    expect(tries.slice(1, 5)).toEqual([2000, 6000, 14_000, 30_000]);
    expect([...new Set(tries.slice(6).map((at, n) => at - (tries[n + 5] ?? 0)))]).toEqual([60_000]);
    expect(statusOf(run).waits).toMatch(
      /^waits for the model server: local answered 503, since \S+ UTC; try \d+ at \d\d:\d\d:\d\d UTC; a person is asked at \S+ UTC$/,
    );
    expect(held(run)).toHaveLength(2);
  });

  test('asks after its patience, tries on every 5 minutes, and tries at once when it is told to', () => {
    const run = open();
    away(run, 31 * MINUTE);
    const [item] = questionsOf(run);
    expect(item).toMatchObject({ id: 'fault', deadline: later(24 * 60 * MINUTE + 30 * MINUTE) });
    expect(item?.send).toEqual({ name: 'control', input: { action: 'resume', by: 'YOUR NAME' } });
    expect(away(run, 60 * MINUTE, 31 * MINUTE)).toHaveLength(12);
    say(run, 'control', { action: 'resume', by: 'operator' }, later(92 * MINUTE));
    expect(questionsOf(run)).toEqual([]);
    expect(run.tasks[1]).not.toHaveProperty('isDeferred');
    landed(run, 1, AWAY, later(92 * MINUTE));
    away(run, 31 * MINUTE, 92 * MINUTE);
    expect(questionsOf(run)).toHaveLength(1);
  });

  test('waits on in a new history', () => {
    const run = open();
    away(run, MINUTE);
    const next = takenUp(run, undefined);
    expect(away(next, 10 * MINUTE, MINUTE)[0]).toBe(62_000);
  });

  test('is stopped by a person', () => {
    const run = open();
    away(run, MINUTE);
    say(run, 'control', { action: 'kill', by: 'operator', comment: 'no model' }, later(MINUTE));
    expect(statusOf(run)).toMatchObject({ outcome: 'aborted' });
  });
});

describe('where nobody answers, or the fallback is wanted', () => {
  const fallback = { action: 'fallback', by: 'operator' };

  test('a planning goes on to its fallback at the deadline', () => {
    const run = planningRun(MINUTE);
    away(run, 30 * MINUTE);
    away(run, 0, 31 * MINUTE);
    expect(run.state.planning?.stage).toBe('fallback');
    expect(run.state.planning?.trouble?.message).toContain('local answered 503');
  });

  test('a planning goes on to its fallback when a person says so, also before it asks', () => {
    const run = planningRun();
    away(run, MINUTE);
    expect(say(run, 'control', fallback, later(MINUTE))).toMatchObject({ ok: true });
    turn(run, later(MINUTE));
    expect(run.state.planning?.stage).toBe('fallback');
  });

  test('a loop fails at the deadline, and has no fallback', () => {
    const run = loopRun(MINUTE);
    away(run, MINUTE);
    expect(say(run, 'control', fallback, later(MINUTE))).toMatchObject({ ok: false });
    away(run, 40 * MINUTE, MINUTE);
    expect(run.state.failure).toMatchObject({ type: 'Unavailable' });
  });

  test('no run takes a fallback that waits for no model', () => {
    const run = planningRun();
    turn(run);
    expect(say(run, 'control', fallback)).toMatchObject({ ok: false, refusal: 'not-possible' });
  });
});

test('nodes go on meanwhile, all that may', () => {
  const run = approvedRun(wideShape(9), { concurrency: 3 }, { ...NO_PROJECT, planner: true });
  backOffRun(run, AWAY, AT);
  for (const node of [0, 1, 2]) bring(run, node, handle(`r${node}`));
  turn(run);
  expect(underWay(run)).toEqual([3, 4, 5]);
});

test('a store that is away too holds all, and a model that is away does not take its place', () => {
  const run = loopRun();
  away(run, 1000);
  turn(run, later(2000));
  landed(run, 1, { deferred: 'fault', reason: 'the store: ENOSPC' }, later(2000));
  expect(statusOf(run).waits).toMatch(/the store: ENOSPC/);
  turn(run, later(3000));
  landed(run, 1, AWAY, later(3000));
  expect(statusOf(run).waits).toMatch(/the store: ENOSPC/);
});
