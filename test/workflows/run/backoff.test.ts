/** Work that has not begun and begins again: at another worker, or when the store is back; then a person is asked. */

import { numbered } from '../../../src/workflows/run/records.ts';
import { describe, expect, test } from 'vitest';
import type { Deferral } from '../../../src/protocol/index.ts';
import { runDetails } from '../../../src/workflows/views/details.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import { statusOf, nodesOf } from '../../../src/workflows/views/views.ts';
import { openLoop } from '../../../src/workflows/loop/loop.ts';
import { openRun } from '../../../src/workflows/run/run.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import {
  approvedRun,
  AT,
  editOf,
  executor,
  handle,
  applyEdit,
  landed,
  later,
  NO_PROJECT,
  openedRun,
  say,
  sayAndWait,
  turn,
  underWay,
  wideShape,
  takenUp,
  writtenOf,
} from './make-run.ts';

const VERSION: Deferral = { deferred: 'version', reason: 'this worker has "pay@2"' };
const FULL: Deferral = { deferred: 'fault', reason: 'the store: ENOSPC. It cannot be written' };
const MINUTE = 60_000;
const pays = (nodes: number) => wideShape(nodes, { executors: [executor('at-most-once', 'pay')] });
const statuses = (run: Run) => nodesOf(run).nodes.map(({ status }) => status);
const kindsUnderWay = (run: Run) =>
  Object.values(run.tasks)
    .filter(({ isDeferred }) => isDeferred !== true)
    .map(({ kind }) => kind);

/** Lets time pass from one due moment to the next; whatever begins lands as `land` says, undefined: not at all. */
function pass(run: Run, ms: number, land: (id: number, after: number) => unknown, from = 0): number[] {
  const began: number[] = [];
  let at = from;
  for (let turns = 0; turns < 2000; turns += 1) {
    const { begin, due, hasMore } = turn(run, later(at));
    for (const id of begin) {
      began.push(at);
      const value = land(id, at);
      if (value !== undefined) landed(run, id, value, later(at));
    }
    if (begin.length > 0 || hasMore) continue;
    if (due === undefined || Date.parse(due) - Date.parse(AT) > from + ms) return began;
    at = Date.parse(due) - Date.parse(AT);
  }
  throw new Error('it never came to rest');
}

describe('a node that a worker with another version was given', () => {
  test('starts again elsewhere, at most once as well, after pauses that grow', () => {
    const run = approvedRun(pays(1));
    landed(run, 1, VERSION);
    expect(statuses(run)).toEqual(['pending']);
    expect(statusOf(run).waits).toContain(`waits for a worker with the approved version: ${VERSION.reason}, since 0`);
    expect(nodesOf(run).nodes[0]?.waits).toContain(VERSION.reason);
    expect(runDetails(run)).toContain('waits for a worker with the approved version');
    expect(turn(run).begin).toEqual([]);
    const began = pass(run, 4 * MINUTE, () => VERSION);
    expect(began.slice(0, 6)).toEqual([250, 500, 1000, 1500, 2500, 3500]);
    expect(began.length).toBeLessThan(30);
    expect(statuses(run)).toEqual(['pending']);
    pass(run, 5 * MINUTE, () => handle('paid'), 4 * MINUTE);
    expect(statuses(run)).toEqual(['succeeded']);
    expect(statusOf(run).waits).toBeUndefined();
  });

  test('holds back no other node', () => {
    const run = approvedRun(pays(3), { concurrency: 1 });
    landed(run, 1, VERSION);
    turn(run);
    expect(underWay(run)).toEqual([1]);
  });

  test('is asked about after ten minutes, also in a run that does not ask about failures: wait, skip or stop', () => {
    const run = approvedRun(pays(1));
    landed(run, 1, VERSION);
    pass(run, 11 * MINUTE, () => VERSION);
    expect(statuses(run)).toEqual(['failed']);
    const [item] = questionsOf(run);
    expect(item).toMatchObject({ kind: 'failed', id: 'node_1', send: { input: { action: 'retry-node' } } });
    expect(item?.text).toMatch(/say retry to wait on, skip to go on without, or kill to stop/);
    say(run, 'control', { action: 'retry-node', node: 'node_1', by: 'operator' }, later(12 * MINUTE));
    landed(run, Math.max(...Object.keys(run.tasks).map(Number)), VERSION, later(12 * MINUTE));
    const began = pass(run, 11 * MINUTE, () => VERSION, 12 * MINUTE);
    expect(began.length).toBeGreaterThan(5);
    expect(statuses(run)).toEqual(['failed']);
  });

  test('keeps its place through an edit and a new history', () => {
    const run = approvedRun(pays(1));
    landed(run, 1, { ...VERSION, attempts: 2 });
    turn(run);
    const text = writtenOf(run);
    const next = takenUp(run, pays(1));
    expect(next.execution?.attempts[0]).toBe(2);
    expect(writtenOf(next)).toBe(text);
    expect(turn(next).begin).toEqual([]);
    expect(turn(next, later(1000)).begin).toHaveLength(1);
  });
});

describe('a decision whose version no worker has', () => {
  const deciding = () => {
    const run = openRun('plan-1', AT);
    run.state.loop = openLoop({ goal: 'Do it' }, 50);
    turn(run);
    expect(kindsUnderWay(run)).toEqual(['decide']);
    landed(run, Math.max(...Object.keys(run.tasks).map(Number)), VERSION);
    return run;
  };

  test('waits with the words that a node has, and holds no other work', () => {
    const run = deciding();
    expect(statusOf(run).waits).toContain(`waits for a worker with the approved version: ${VERSION.reason}, since 0`);
    expect(run.state.failure).toBeUndefined();
  });

  test('is asked about after ten minutes, and fails only where nobody answers', () => {
    const run = deciding();
    pass(run, 11 * MINUTE, () => VERSION);
    expect(run.state.failure).toBeUndefined();
    const [item] = questionsOf(run);
    expect(item).toMatchObject({ kind: 'fault', send: { input: { action: 'kill' } } });
    expect(item?.text).toContain('waits for a worker with the approved version');
  });
});

describe('an edit whose version no worker has', () => {
  const editing = () => {
    const run = openedRun(wideShape(2));
    const { message, work } = sayAndWait(run, 'decide', editOf(run));
    landed(run, work, VERSION);
    return { run, message };
  };
  const repliesIn = (run: Run, ms: number) => {
    const replies: unknown[] = [];
    for (let after = 0; after <= ms; after += MINUTE) {
      const orders = turn(run, later(after));
      replies.push(...orders.replies.map(({ reply }) => reply));
      for (const id of orders.begin) landed(run, id, VERSION, later(after));
    }
    return replies;
  };

  test('waits with the words that a node has, is tried again, and is asked about after ten minutes', () => {
    const { run } = editing();
    expect(statusOf(run).waits).toContain(`waits for a worker with the approved version: ${VERSION.reason}, since 0`);
    expect(repliesIn(run, 11 * MINUTE)).toEqual([]);
    expect(questionsOf(run).find(({ kind }) => kind === 'fault')?.text).toContain(
      'waits for a worker with the approved version',
    );
    const work = Math.max(...Object.keys(run.tasks).map(Number));
    expect(applyEdit(run, { message: 0, work }, wideShape(2, { digest: 'ab'.repeat(32) }), [-1, -1])).toBeUndefined();
    expect(statusOf(run)).toMatchObject({ revision: 2, phase: 'awaiting-approval' });
    expect(statusOf(run).waits).toBeUndefined();
  });

  test('is refused where nobody answers, and the run goes on', () => {
    const { run } = editing();
    const replies = repliesIn(run, 30 * 60 * MINUTE);
    expect(replies).toEqual([expect.objectContaining({ ok: false, refusal: 'failed' })]);
    expect(run.state.failure).toBeUndefined();
  });
});

describe('a store that is away', () => {
  test('is waited out by the whole run, with one probe at a time, and what has finished stays', () => {
    const run = approvedRun(wideShape(6), { concurrency: 3 });
    landed(run, 1, handle('first'));
    landed(run, 2, FULL);
    landed(run, 3, FULL);
    expect(statusOf(run).phase).toBe('running');
    expect(statusOf(run).waits).toMatch(
      /^waits for the store: ENOSPC\. It cannot be written, since (\S+) UTC; try 2 at \S+ UTC; a person is asked at \S+ UTC$/,
    );
    expect(turn(run).begin).toEqual([]);
    const probes = pass(run, 9 * MINUTE, () => FULL);
    expect(probes.slice(0, 6)).toEqual([250, 750, 1750, 3750, 7750, 15_750]);
    expect(probes.length).toBeLessThan(45);
    expect(statuses(run)).toEqual(['succeeded', ...Array<string>(5).fill('pending')]);
    pass(run, MINUTE, () => handle('r'), 9 * MINUTE);
    expect(statusOf(run)).toMatchObject({ outcome: 'done', counts: { succeeded: 6 } });
    expect(run.state.trace.entries.filter(({ what }) => what === 'held').map(({ text }) => text)).toEqual([
      `waits for ${FULL.reason}`,
      expect.stringContaining('what it waited for is there again') as string,
    ]);
  });

  test('that fails one node alone lets the others go on', () => {
    const run = approvedRun(wideShape(4), { concurrency: 1 });
    const isBad = (id: number) =>
      [...numbered(run.tasks)].some(([one, work]) => one === id && work.kind === 'node' && work.node === 0);
    landed(run, 1, FULL);
    pass(run, MINUTE, (id) => (isBad(id) ? FULL : handle('r')));
    expect(statuses(run)).toEqual(['pending', 'succeeded', 'succeeded', 'succeeded']);
  });

  test('is asked about after ten minutes, tried on more rarely, and resumed by a person', () => {
    const run = approvedRun(wideShape(2));
    landed(run, 1, FULL);
    landed(run, 2, FULL);
    pass(run, 11 * MINUTE, () => FULL);
    const [item] = questionsOf(run);
    expect(item).toMatchObject({ id: 'fault', kind: 'fault', deadline: later(24 * 60 * MINUTE + 10 * MINUTE) });
    expect(item?.send).toEqual({ name: 'control', input: { action: 'resume', by: 'YOUR NAME' } });
    const probes = pass(run, 60 * MINUTE, () => FULL, 11 * MINUTE);
    expect(probes.length).toBeLessThan(15);
    expect(say(run, 'control', { action: 'resume', by: 'operator' }, later(72 * MINUTE))).toMatchObject({ ok: true });
    expect(questionsOf(run)).toEqual([]);
    expect(underWay(run)).toEqual([0, 1]);
  });

  test('that nobody says anything about fails the run at its deadline', () => {
    const run = approvedRun(wideShape(1), { answerDeadlineMs: MINUTE });
    landed(run, 1, FULL);
    pass(run, 20 * MINUTE, () => FULL);
    expect(run.state.failure).toMatchObject({
      type: 'Unavailable',
      message: expect.stringContaining('ENOSPC') as string,
    });
    expect(statusOf(run)).toMatchObject({ outcome: 'failed' });
  });

  test('fails no run that a person has paused', () => {
    const run = approvedRun(wideShape(1), { answerDeadlineMs: MINUTE });
    landed(run, 1, FULL);
    say(run, 'control', { action: 'pause', by: 'operator' });
    pass(run, 20 * MINUTE, () => FULL);
    expect([run.state.failure, questionsOf(run)[0]?.kind]).toEqual([undefined, 'fault']);
    say(run, 'control', { action: 'resume', by: 'operator' }, later(21 * MINUTE));
    expect([questionsOf(run), underWay(run)]).toEqual([[], [0]]);
  });

  test('lets a person stop the run at once', () => {
    const run = approvedRun(wideShape(1));
    landed(run, 1, FULL);
    say(run, 'control', { action: 'kill', by: 'operator', comment: 'no disk' });
    expect(turn(run, later(1)).next).toBe('end');
  });

  test.each<[string, () => Run]>([
    [
      'the compiling of a plan',
      () => {
        const run = openRun('plan-1', AT);
        run.state.source = { document: {} };
        turn(run);
        return run;
      },
    ],
    [
      'the planning of a goal',
      () => {
        const run = openRun('plan-1', AT);
        run.state.planning = { goal: 'g' } as never;
        turn(run);
        return run;
      },
    ],
    [
      'an edit',
      () => {
        const run = openedRun(wideShape(1));
        sayAndWait(run, 'decide', editOf(run));
        return run;
      },
    ],
  ])('holds %s, which begins again under its id, also in a new history', (_, opened) => {
    const run = opened();
    const id = Math.max(...Object.keys(run.tasks).map(Number));
    const kind = run.tasks[id]?.kind;
    landed(run, id, FULL);
    expect(run.tasks[id]).toMatchObject({ kind, isDeferred: true });
    expect(kindsUnderWay(run)).not.toContain(kind);
    expect(turn(run).begin).toEqual([]);
    const planShape = run.execution?.planShape;
    for (const one of [run, takenUp(run, planShape)]) {
      expect(turn(one, later(1000)).begin).toEqual([id]);
      expect(kindsUnderWay(one)).toContain(kind);
    }
  });

  test('lets no round of a loop count twice', () => {
    const run = openRun('plan-1', AT);
    run.state.loop = { task: { goal: 'g' }, round: 0, maxRounds: 5, wrong: 0, attempts: 5, rejections: 0 };
    turn(run);
    landed(run, 1, FULL);
    const began = pass(run, MINUTE, () => FULL);
    expect(began.length).toBeGreaterThan(3);
    expect(run.state.loop?.round).toBe(1);
  });

  test('does not keep a run from closing: what waits for a reply gets one', () => {
    const run = openedRun(wideShape(1));
    const { message, work } = sayAndWait(run, 'decide', editOf(run));
    landed(run, work, FULL);
    run.state.cancelled = true;
    const { replies, hasMore, next } = turn(run);
    expect(replies).toMatchObject([{ message, reply: { ok: false } }]);
    expect(hasMore ? turn(run).next : next).toBe('end');
  });
});

test('what a pause holds is not bought until it ends', () => {
  const run = openRun('plan-1', AT);
  run.state.loop = { task: { goal: 'g' }, round: 0, maxRounds: 5, wrong: 0, attempts: 5, rejections: 0 };
  run.state.project = NO_PROJECT;
  turn(run);
  run.state.paused = true;
  landed(run, 1, { deferred: 'run', reason: 'the run is paused' });
  expect(turn(run, later(MINUTE)).begin).toEqual([]);
  run.state.paused = false;
  expect(turn(run, later(MINUTE)).begin).toEqual([1]);
});
