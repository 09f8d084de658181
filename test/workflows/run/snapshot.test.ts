/** A run that is written down and taken up again: all of it, byte for byte; and texts that are no run. */

import { restoreRun } from '../../../src/workflows/run/hand-over.ts';
import { describe, expect, test } from 'vitest';
import type { CarriedState } from '../../../src/workflows/run/state.ts';
import type { PlanShape } from '../../../src/protocol/index.ts';
import { openRun } from '../../../src/workflows/run/run.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { runDetails } from '../../../src/workflows/views/details.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import { statusOf, nodesOf } from '../../../src/workflows/views/views.ts';
import { receive } from '../../../src/workflows/run/talk/inbox.ts';
import { busyRun } from './full-run.ts';
import {
  approvedRun,
  AT,
  bring,
  edit,
  handle,
  later,
  openedRun,
  say,
  shapeOf,
  turn,
  wideShape,
  takenUp,
  writtenOf,
  waiting,
} from './make-run.ts';

const again = (run: Run, planShape: PlanShape | undefined = run.execution?.planShape) => takenUp(run, planShape);

describe('a run that is taken up again', () => {
  const runs: Record<string, () => Run> = {
    'without a plan': () => openRun('plan-1', AT),
    'while its plan is compiled': () => {
      const run = openRun('plan-1', AT);
      run.state.source = { document: { goal: 'g', plan: {} } };
      turn(run);
      say(run, 'approve', { digest: '3fa9c1d2', by: 'operator' });
      return run;
    },
    'that waits for its approval': () => openedRun(shapeOf([[], [0]])),
    'with much under way': busyRun,
    'that was edited, and whose plan is in the store': () => {
      const run = openedRun(shapeOf([[], []]));
      edit(run, shapeOf([[], []], { digest: 'e'.repeat(64) }), [1, -1]);
      Object.assign(run.execution!, { pages: ['page'] });
      return run;
    },
    'that is closed': () => {
      const run = approvedRun(shapeOf([[]]));
      bring(run, 0, handle('r'));
      turn(run);
      return run;
    },
  };

  test.each(Object.entries(runs))('%s is the same, to the byte, and to whoever looks', (_, made) => {
    const run = made();
    const next = again(run);
    expect(writtenOf(next)).toBe(writtenOf(run));
    expect(writtenOf(again(next))).toBe(writtenOf(run));
    for (const show of [statusOf, nodesOf, questionsOf, runDetails]) expect(show(next)).toEqual(show(run));
    expect(next.state).toEqual(run.state);
    expect(next.execution?.pages ?? []).toEqual(run.execution?.pages ?? []);
    expect(next.tasks).toEqual(run.tasks);
    expect(next.lastTaskId).toBe(run.lastTaskId);
    // From then on too.
    expect(turn(next, later(100))).toEqual(turn(run, later(100)));
    expect(writtenOf(next)).toBe(writtenOf(run));
  });

  test('holds nothing back, and has nothing to do that its history does not know of', () => {
    const run = busyRun();
    const backoff = { cause: 'fault', reason: 'r', since: AT, until: later(9), attempt: 1 } as const;
    run.drain = { stopAt: later(9), backoff };
    const next = again(run);
    expect([next.drain, next.outbox, next.viewChanged]).toEqual([
      {},
      { begin: [], cancel: [], cancelParts: [], replies: [] },
      true,
    ]);
  });

  test('knows the updates that wait for an answer, wherever they stand', () => {
    const run = approvedRun(wideShape(70));
    for (let node = 0; node < 70; node += 1) bring(run, node, { asks: { text: 'which?' } });
    const value = { value: 1, by: 'operator' };
    const send = (node: number) => {
      const payload = { question: `3fa9c1d2.node_${node}`, ...value };
      return receive(run, { name: 'answer', payload, at: AT, update: `u${node}` });
    };
    const ids = Array.from({ length: 60 }, (_, i) => send(i + 1));
    turn(run);
    ids.push(send(61));
    expect((['activity', 'room', 'turn'] as const).map((what) => waiting(run, what).length)).toEqual([50, 10, 1]);
    const next = again(run);
    expect(next.state.inbox.map(({ id, update }) => [id, update])).toEqual(ids.map((id, i) => [id, `u${i + 1}`]));
    expect(receive(next, { name: 'answer', payload: {}, at: AT, update: 'u55' })).toBe(ids[54]);
  });

  test('costs little for each node, and nothing for what the plan says already', () => {
    const run = approvedRun(wideShape(5000, { summaries: Array.from({ length: 5000 }, () => 's'.repeat(80)) }), {
      concurrency: 10,
      lane: 'visible',
    });
    expect(writtenOf(run).length).toBeLessThan(5000 * 20);
  });
});

describe('what is no snapshot', () => {
  const run = busyRun();
  const text = writtenOf(run);
  test.each<[string, string, PlanShape | undefined, RegExp]>([
    ['something else', 'null', run.execution!.planShape, /null|undefined|destructure/],
    ['a list', '[]', run.execution!.planShape, /do not belong together/],
    ['no plan, where there was one', text, undefined, /do not belong together/],
    ['a plan, where there was none', writtenOf(openRun('plan-1', AT)), shapeOf([[]]), /do not belong together/],
    ['a plan of other nodes', text, shapeOf([[], []]), /plan with other nodes/],
  ])('throws: %s', (_, given, planShape, message) => {
    expect(() => restoreRun('plan-1', JSON.parse(given) as CarriedState, planShape)).toThrow(message);
  });
});
