/** What loses its workers at every attempt fails no run: a person has it tried again, or stops the run. */

import { describe, expect, test } from 'vitest';
import { openPlanning } from '../../../src/protocol/index.ts';
import { backOffRun, endBackoff } from '../../../src/workflows/run/backoff.ts';
import { openRun } from '../../../src/workflows/run/run.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { openLoop } from '../../../src/workflows/loop/loop.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import { statusOf } from '../../../src/workflows/views/views.ts';
import {
  approvedRun,
  AT,
  bring,
  failed,
  handle,
  later,
  progressOf,
  say,
  takenUp,
  turn,
  wideShape,
} from './make-run.ts';

const DAY = 24 * 60 * 60_000;
const opened = (over: Partial<Run['state']>) => {
  const run = openRun('plan-1', AT);
  Object.assign(run.state, over);
  return run;
};
const WORK: readonly (readonly [string, () => Run])[] = [
  ['a compile', () => opened({ source: { document: {} } })],
  ['a planning', () => opened({ planning: openPlanning('Find genes', 'plan-first') })],
  ['a decision', () => opened({ loop: openLoop({ goal: 'Do it' }, 5) })],
];
const LOSSES = ['WorkerLost', 'Timeout.HEARTBEAT'];

describe.each(WORK.flatMap(([name, open]) => LOSSES.map((type) => [name, type, open] as const)))(
  '%s that ends as %s',
  (_, type, open) => {
    const lost = (run: Run, at = AT) => {
      const { begin } = turn(run, at);
      expect(begin).toHaveLength(1);
      failed(run, begin[0]!, { status: 'failed', type, message: 'five were lost' }, at);
      return begin[0]!;
    };

    test('asks a person, and is not tried meanwhile', () => {
      const run = open();
      lost(run);
      const { begin, due } = turn(run);
      expect([begin, due, run.state.failure]).toEqual([[], later(DAY), undefined]);
      const [item, ...more] = questionsOf(run);
      expect(more).toEqual([]);
      expect(item).toMatchObject({ kind: 'fault', send: { name: 'control', input: { action: 'resume' } } });
      expect(item?.text).toMatch(/^the run waits for a person, since .* lost its workers: five were lost; resume /);
      expect(statusOf(run).waits).toMatch(
        /^waits for a person, since .* lost its workers: five were lost, since \S+ UTC$/,
      );
    });

    test('is tried again when a person says so, in a later history too, and asks again', () => {
      const run = open();
      const id = lost(run);
      turn(run);
      const next = takenUp(run, undefined);
      expect(turn(next, later(DAY / 2)).begin).toEqual([]);
      expect(say(next, 'control', { action: 'resume', by: 'operator' }, later(DAY / 2))).toMatchObject({ ok: true });
      expect(questionsOf(next)).toEqual([]);
      expect(next.tasks[id]).not.toHaveProperty('isDeferred');
      failed(next, id, { status: 'failed', type, message: 'five were lost' }, later(DAY / 2));
      expect(questionsOf(next)).toHaveLength(1);
    });

    test('asks a person still when the store was away meanwhile', () => {
      const run = open();
      const id = lost(run);
      turn(run);
      backOffRun(run, { deferred: 'fault', reason: 'the store is away' }, AT);
      expect(questionsOf(run).map(({ text }) => text)).not.toContain('lost its workers');
      endBackoff(run, later(1000));
      expect(turn(run, later(1000)).begin).toEqual([]);
      expect(run.tasks[id]?.isDeferred).toBe(true);
      expect(questionsOf(run)).toMatchObject([{ text: expect.stringContaining('lost its workers') as string }]);
    });

    test('is stopped by a person', () => {
      const run = open();
      lost(run);
      say(run, 'control', { action: 'kill', by: 'operator', comment: 'no' });
      expect(statusOf(run)).toMatchObject({ outcome: 'aborted' });
    });

    test('ends when nobody answers: a planning with its fallback, anything else with its run', () => {
      const run = open();
      lost(run);
      turn(run, later(DAY));
      const isPlanning = run.state.planning !== undefined;
      expect(run.state.failure?.type).toBe(isPlanning ? undefined : 'Unavailable');
      if (isPlanning) expect(run.state.planning?.stage).not.toBe('extract');
    });
  },
);

describe.each(LOSSES)('a node that ends as %s', (type) => {
  test.each(['fail', 'partial', 'ask'] as const)('asks a person where failures %s', (onFailure) => {
    const run = approvedRun(wideShape(2), { onFailure });
    bring(run, 0, { status: 'failed', type, message: 'five were lost' });
    bring(run, 1, handle('one'));
    turn(run);
    expect(progressOf(run).status[0]).toBe('failed');
    expect(questionsOf(run)).toMatchObject([{ kind: 'failed', nodes: ['node_1'] }]);
    say(run, 'control', { action: 'retry-node', node: 'node_1', by: 'operator' });
    bring(run, 0, handle('zero'));
    expect(questionsOf(run)).toEqual([]);
  });
});
