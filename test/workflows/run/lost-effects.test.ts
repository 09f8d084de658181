/** An at-most-once effect that was lost with an attempt may have happened, until somebody has looked at its claim. */

import { describe, expect, test } from 'vitest';
import type { PlanShape } from '../../../src/protocol/index.ts';
import type { Run } from '../../../src/workflows/run/in-memory.ts';
import { taskOn } from '../../../src/workflows/run/tasks.ts';
import { questionsOf } from '../../../src/workflows/views/open-items.ts';
import {
  AT,
  DIGEST,
  edit,
  executor,
  handle,
  landed,
  later,
  openedRun,
  progressOf,
  REFUSES,
  say,
  shapeOf,
  takenUp,
  turn,
} from './make-run.ts';
import { applyEnd } from '../../../src/workflows/run/arrive.ts';

const NEW = 'e'.repeat(64);
const AWAY = { deferred: 'fault', reason: 'the store: ECONNREFUSED', attempts: 1 } as const;
const LOST = { ...AWAY, mayHaveBegun: true } as const;
const CANCELLED = { status: 'cancelled', type: 'Cancelled', message: 'cancelled' } as const;
const TIMED_OUT = { status: 'uncertain', type: 'Timeout.HEARTBEAT', message: 'gone' } as const;

function payments(names: readonly string[], digest = DIGEST): PlanShape {
  const bounds = { retry: { attempts: 5, initialMs: 1, factor: 4 } };
  return shapeOf(
    names.map(() => []),
    {
      digest,
      executors: [{ ...executor('at-most-once', 'transfer'), ...bounds }],
      summaries: names.map((name) => `Pay ${name}`),
      effectKeys: Object.fromEntries(names.map((name, node) => [node, name])),
      claims: Object.fromEntries(names.map((name, node) => [node, `claim ${name}`])),
    },
  );
}

/** The first of two payments is under way. */
function started(): { readonly run: Run; readonly id: number } {
  const run = openedRun(payments(['ann', 'tom']));
  say(run, 'decide', { kind: 'approve-part', nodes: ['node_1'], digest: DIGEST, by: 'operator' });
  return { run, id: taskOn(run, 0)! };
}

/** It is scheduled again as soon as the store is back and the run is not paused. */
function deferred(deferral: object): Run {
  const { run, id } = started();
  control(run, 'pause', AT);
  landed(run, id, deferral, later(1000));
  turn(run, later(1000));
  return run;
}

const control = (run: Run, action: string, at = later(2000), more: object = {}) =>
  say(run, 'control', { action, by: 'operator', comment: 'enough', ...more }, at);
const uncertain = (run: Run) => questionsOf(run).filter(({ kind }) => kind === 'uncertain');

/** What ends the node before anybody has looked, and how many people are asked then. */
const ENDS: Readonly<Record<string, readonly [end: (run: Run) => unknown, asked: number]>> = {
  'the run is killed': [(run) => control(run, 'kill'), 0],
  'the run is cancelled': [(run) => turn(run, AT, { arrivals: [{ is: 'cancelled', at: AT }] }), 0],
  'its node is cancelled': [(run) => control(run, 'cancel-node', later(2000), { node: 'node_1' }), 1],
  'an edit removes its node': [(run) => edit(run, payments(['tom'], NEW), [1], later(2000)), 1],
};

describe.each(Object.entries(ENDS))('an effect that was lost with an attempt, when %s', (_, [end, asked]) => {
  const statusOf = (run: Run) =>
    [
      ...Object.values(run.state.removedEffects ?? {}).flatMap(({ nodes }) => nodes.status),
      progressOf(run).status[0],
    ].at(0);

  test.each([
    ['may have happened', (run: Run) => run],
    ['may have happened in the next history too', (run: Run) => takenUp(run)],
  ])('%s', (__, next) => {
    const run = next(deferred(LOST));
    end(run);
    expect([statusOf(run), uncertain(run).length]).toEqual(['uncertain', asked]);
  });

  test('has not happened if its worker had looked', () => {
    const run = deferred(AWAY);
    end(run);
    expect([statusOf(run), uncertain(run).length]).not.toContain('uncertain');
    expect(uncertain(run)).toEqual([]);
  });
});

describe('an effect that nobody has looked at', () => {
  test('is settled as if it had ended so', () => {
    const run = deferred(LOST);
    expect(control(run, 'cancel-node', later(2000), { node: 'node_1' })).toMatchObject({
      reply: expect.stringContaining('settle') as string,
    });
    expect(progressOf(run).failures[0]?.message).toMatch(/cancelled by operator; an attempt at it was lost/);
    expect(control(run, 'resolve', later(2000), { node: 'node_1', outcome: 'failed' })).toMatchObject({ ok: true });
    expect(progressOf(run).status[0]).toBe('failed');
  });

  test('is asked about if its plan has gone before its worker reports', () => {
    const { run, id } = started();
    edit(run, payments(['tom'], NEW), [1], later(2000));
    landed(run, id, LOST, later(3000));
    expect(uncertain(run)).toMatchObject([{ nodes: ['node_1'], digest: DIGEST }]);
  });

  test('is begun again with the word that it may have begun, and its end counts', () => {
    const run = deferred(LOST);
    control(run, 'resume');
    turn(run, later(60_000));
    expect(run.execution?.mayHaveBegun).toEqual({ 0: true });
    landed(run, taskOn(run, 0)!, handle('r'), later(61_000));
    expect([progressOf(run).status[0], run.execution?.mayHaveBegun]).toEqual(['succeeded', {}]);
  });

  test.each([
    ['its worker was lost', TIMED_OUT, { mayRetry: true }, [], true],
    ['the server cancelled it between two attempts', CANCELLED, {}, ['node_1'], true],
    ['the server cancelled it, and nobody knows when', CANCELLED, {}, undefined, true],
    ['the server cancelled it before its first attempt', CANCELLED, {}, [], false],
    ['its worker obeyed', CANCELLED, { begun: false, attempts: 1 }, ['node_1'], false],
  ] as const)('while the run drains: %s', (__, end, tried, retried, isLost) => {
    const { run, id } = started();
    turn(run, later(1000), { pressure: 'events' });
    turn(run, later(7000), { pressure: 'events' });
    if (retried !== undefined) run.drain.retried = retried;
    const failure = { type: 'RETRIABLE', message: '', details: [] } as const;
    applyEnd(run, id, { ok: false, end, failure, tried }, later(7000), REFUSES);
    expect([progressOf(run).status[0], run.execution?.mayHaveBegun]).toEqual(['pending', isLost ? { 0: true } : {}]);
  });
});
