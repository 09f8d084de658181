/** Where the nodes of a run are: which may start when, in which order, and what a failure stops. */

import { numbered } from '../../../../src/workflows/run/records.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ResultHandle } from '../../../../src/protocol/index.ts';
import {
  cancelPending,
  fail,
  inputRefs,
  isFinished,
  reopenProgress,
  startNext,
  succeed,
  openNodes,
} from '../../../../src/workflows/run/nodes/progress.ts';
import type { Progress } from '../../../../src/workflows/run/in-memory.ts';

/** The progress of a plan of which no node has begun. */
function openProgress(
  inputs: readonly (readonly number[])[],
  window: number,
  after?: Record<number, number[]>,
): Progress {
  return reopenProgress(inputs, window, after, openNodes(inputs.length));
}

const FAILURE = { type: 'CRITICAL', message: 'broke' };
const handle = (node: number): ResultHandle => ({ ref: `r${node}`, kind: 'set', count: node, bytes: 1 });

/** A random plan: each node takes up to two earlier ones. */
const plans = fc
  .array(fc.array(fc.nat(), { maxLength: 2 }), { minLength: 1, maxLength: 40 })
  .map((rows) => rows.map((row, node) => (node === 0 ? [] : row.map((pick) => pick % node))));

describe('the progress of a run', () => {
  test('starts each node the moment its own inputs are there', () => {
    const progress = openProgress([[], [], [0], [2, 1]], 100);
    expect(startAll(progress)).toEqual([0, 1]);
    succeed(progress, 0, handle(0));
    expect(startAll(progress)).toEqual([2]);
    succeed(progress, 2, handle(2));
    expect(startAll(progress)).toEqual([]);
    succeed(progress, 1, handle(1));
    expect(startAll(progress)).toEqual([3]);
    expect(inputRefs(progress, 3)).toEqual(['r2', 'r1']);
  });

  test('starts the longest remaining path first, then the smaller node', () => {
    // 0 and 1 are needed at the end only; 2 heads a chain.
    expect(startAll(openProgress([[], [], [], [2], [3], [0, 4], [1, 5]], 100))).toEqual([2, 0, 1]);
  });

  test('gives A op A its input twice and waits for it once', () => {
    const progress = openProgress([[], [0, 0]], 100);
    startAll(progress);
    succeed(progress, 0, handle(0));
    expect(startAll(progress)).toEqual([1]);
    expect(inputRefs(progress, 1)).toEqual(['r0', 'r0']);
  });

  test('keeps at most the window in flight', () => {
    const progress = openProgress([[], [], [], []], 2);
    expect(startAll(progress)).toEqual([0, 1]);
    succeed(progress, 1, handle(1));
    expect(startAll(progress)).toEqual([2]);
  });

  test('skips what stands on a failed node, names it as the cause, and goes on elsewhere', () => {
    const progress = openProgress([[], [0], [], [1, 2]], 100);
    startAll(progress);
    fail(progress, 0, 'failed', FAILURE);
    expect(progress.status).toEqual(['failed', 'skipped', 'running', 'skipped']);
    expect([...numbered(progress.causes)]).toEqual([
      [1, 0],
      [3, 0],
    ]);
    expect(isFinished(progress)).toBe(false);
    succeed(progress, 2, handle(2));
    expect(isFinished(progress)).toBe(true);
  });

  test('cancels what has not started', () => {
    const progress = openProgress([[], [0]], 100);
    startAll(progress);
    cancelPending(progress);
    expect(startAll(progress)).toEqual([]);
    expect(progress.status).toEqual(['running', 'cancelled']);
  });

  test('in any order of completions starts every node once, after its inputs, and counts right', () => {
    fc.assert(
      fc.property(
        plans,
        fc.array(fc.nat()),
        fc.integer({ min: 1, max: 5 }),
        fc.nat(),
        (inputs, picks, window, broken) => {
          const progress = openProgress(inputs, window);
          const running: number[] = [];
          const ended = new Set<number>();
          let turn = 0;
          for (;;) {
            for (const node of startAll(progress)) {
              expect(inputs[node]?.every((input) => progress.status[input] === 'succeeded')).toBe(true);
              running.push(node);
            }
            expect(running.length).toBeLessThanOrEqual(window);
            if (running.length === 0) break;
            const [node = -1] = running.splice((picks[turn++ % (picks.length || 1)] ?? 0) % running.length, 1);
            expect(ended.has(node)).toBe(false);
            ended.add(node);
            if (node === broken) fail(progress, node, 'failed', FAILURE);
            else succeed(progress, node, handle(node));
          }
          expect(isFinished(progress)).toBe(true);
          expect(Object.values(progress.counts).reduce((sum, count) => sum + count)).toBe(inputs.length);
          expect(progress.status.map((status) => status === 'skipped')).toEqual(standsOn(inputs, broken));
        },
      ),
      { seed: 1 },
    );
  });
});

test('what is written down of it goes on as it would have', () => {
  fc.assert(
    fc.property(
      plans,
      fc.array(fc.nat()),
      fc.integer({ min: 1, max: 5 }),
      fc.nat(),
      (inputs, picks, window, broken) => {
        // Every other node waits for one more, so that order is a part of it.
        const after = Object.fromEntries(inputs.flatMap((_, node) => (node % 2 === 1 ? [[node, [node - 1]]] : [])));
        const progress = openProgress(inputs, window, after);
        const { status, handles, failures, causes, unsettled } = progress;
        const running: number[] = [];
        for (let turn = 0; ; turn += 1) {
          const state = { ...openNodes(0), status, handles, failures, causes, unsettled };
          const reopened = reopenProgress(inputs, window, after, structuredClone(state));
          const started = startAll(progress);
          expect(startAll(reopened)).toEqual(started);
          expect([reopened.need, reopened.counts]).toEqual([progress.need, progress.counts]);
          running.push(...started);
          if (running.length === 0) break;
          const [node = -1] = running.splice((picks[turn % (picks.length || 1)] ?? 0) % running.length, 1);
          if (node === broken) fail(progress, node, 'failed', FAILURE);
          else succeed(progress, node, handle(node));
        }
        expect(isFinished(progress)).toBe(true);
      },
    ),
    { seed: 2, numRuns: 300 },
  );
});

function startAll(progress: Progress): number[] {
  const started: number[] = [];
  for (let node = startNext(progress); node !== undefined; node = startNext(progress)) started.push(node);
  return started;
}

/** Oracle: which nodes reach the broken one through their inputs. */
function standsOn(inputs: readonly (readonly number[])[], broken: number): boolean[] {
  const stands = (node: number): boolean => inputs[node]?.some((input) => input === broken || stands(input)) ?? false;
  return inputs.map((_, node) => stands(node));
}

describe('an ordered list', () => {
  // 0 writes, 1 reads, 2 writes after both, 3 reads.
  const inputs = [[], [], [], [0]];
  const after = { 2: [0, 1] };

  test('Osprey: the order of a list: an effect waits for what stands before it, reads run as their inputs allow', () => {
    const progress = openProgress(inputs, 100, after);
    expect(startAll(progress)).toEqual([0, 1]);
    succeed(progress, 0, handle(0));
    expect(startAll(progress)).toEqual([3]);
    succeed(progress, 1, handle(1));
    expect(startAll(progress)).toEqual([2]);
    expect(inputRefs(progress, 2)).toEqual([]);
  });

  test('skips an effect when what stands before it failed', () => {
    const progress = openProgress(inputs, 100, after);
    startAll(progress);
    fail(progress, 1, 'failed', FAILURE);
    expect(progress.status).toEqual(['running', 'failed', 'skipped', 'pending']);
  });
});
