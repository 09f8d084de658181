/** Parts and single nodes share one window; which plans go by parts; how a part counts. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RunOptions, PlanShape } from '../../../../src/protocol/index.ts';
import { pressureIn } from '../../../../src/workflows/run/drain.ts';
import { busyIn, isForParts } from '../../../../src/workflows/run/parts.ts';
import type { Run } from '../../../../src/workflows/run/in-memory.ts';
import { nodesOf } from '../../../../src/workflows/views/views.ts';
import { approvedRun, bring, executor, handle, progressOf, turn, underWay, wideShape } from '../make-run.ts';
import {
  done,
  editReads,
  news,
  onlyPart,
  partRun,
  partsIn,
  partShape,
  READ,
  readingRun,
  replied,
  scheduled,
} from './part-run.ts';

const MIXED = [READ, executor('idempotent', 'write'), { ...READ, alone: true } as const];

/** Nodes that are at work at once at most: single ones, and of a part as many as its slots let. */
function atWork(run: Run): number {
  const single = Object.values(run.tasks).filter((work) => work.kind === 'node' && work.part === undefined).length;
  return partsIn(run).reduce((sum, [, { slots, open }]) => sum + Math.min(slots, open), single);
}

describe('the lane', () => {
  const wide = (nodes: number, over: Partial<PlanShape> = {}) => wideShape(nodes, { executors: [READ], ...over });

  test.each<[string, number, PlanShape, Partial<RunOptions>]>([
    ['auto, of 1,000 nodes', 0, wide(1000), { lane: 'auto' }],
    ['auto, of 1,001 nodes', 1, wide(1001), { lane: 'auto' }],
    ['none, of 1,001 nodes', 1, wide(1001), {}],
    ['visible, of 1,001 nodes', 0, wide(1001), { lane: 'visible' }],
    ['parts, of 2 nodes', 1, wide(2), { lane: 'parts' }],
    ['parts, of one node', 0, wide(1), { lane: 'parts' }],
  ])('%s has %i parts', (_, parts, planShape, options) => {
    const run = approvedRun(planShape, options);
    expect(run.parts.size).toBe(parts);
    expect(underWay(run).length).toBeGreaterThan(0);
  });

  test('shows by name in which part a node is', () => {
    const run = partRun(partShape([[], [], [0, 1], [2]], { executors: MIXED, executorOf: [0, 0, 0, 1] }));
    const [name] = onlyPart(run);
    expect(nodesOf(run).nodes.map(({ status, part }) => [status, part])).toEqual([
      ...[0, 1, 2].map(() => ['running', name]),
      ['pending', undefined],
    ]);
  });
});

describe('the window', () => {
  test('takes the slots of a part, not the nodes that wait in it', () => {
    const run = partRun(wideShape(500, { executors: [READ] }), { concurrency: 7 });
    expect(onlyPart(run)[1]).toMatchObject({ slots: 7, open: 500 });
    expect(busyIn(run)).toBe(7);
  });

  test.each([
    ['a read first', [0, 1]],
    ['an effect first', [1, 0]],
  ])('of one node has one at work, %s', (_, executorOf) => {
    const run = partRun(partShape([[], []], { executors: MIXED, executorOf }), { concurrency: 1 });
    expect(underWay(run)).toEqual([0]);
  });

  test('does not grow while an edit leaves nodes of a part without use', () => {
    const { run, name } = readingRun(10, { concurrency: 2 });
    // Two of its ten nodes stay, and ten more could begin.
    editReads(run, 12, [0, 1]);
    expect(onlyPart(run)).toMatchObject([name, { open: 10, unused: 8, isCancelled: true }]);
    expect([underWay(run), busyIn(run)]).toEqual([[0, 1], 2]);
    replied(run, name, []);
    turn(run);
    expect(onlyPart(run)[1]).toMatchObject({ slots: 2, open: 12, unused: 0 });
    expect(busyIn(run)).toBe(2);
  });

  const plans = fc
    .array(fc.tuple(fc.array(fc.nat(), { maxLength: 2 }), fc.constantFrom(0, 0, 0, 0, 1, 2)), {
      minLength: 1,
      maxLength: 30,
    })
    .map((rows) =>
      partShape(
        rows.map(([picks], node) => (node === 0 ? [] : [...new Set(picks.map((pick) => pick % node))])),
        { executors: MIXED, executorOf: rows.map(([, one]) => one) },
      ),
    );

  test('is never passed, over parts and single nodes, in whatever order they end', () => {
    let parts = 0;
    fc.assert(
      fc.property(plans, fc.integer({ min: 1, max: 5 }), fc.array(fc.nat()), (planShape, concurrency, picks) => {
        const run = partRun(planShape, { concurrency });
        const total = planShape.inputs.length;
        for (let step = 0; run.state.approval.phase !== 'closed'; step += 1) {
          expect(step).toBeLessThan(4 * total + 4);
          parts += run.parts.size;
          expect(busyIn(run)).toBe(atWork(run));
          expect(atWork(run)).toBeLessThanOrEqual(concurrency);
          endOne(run, picks[step % Math.max(1, picks.length)] ?? 0);
          turn(run);
        }
        expect(run.state.approval.closed?.outcome).toBe('done');
        expect(progressOf(run).counts.succeeded).toBe(total);
      }),
      { numRuns: 300 },
    );
    expect(parts).toBeGreaterThan(300);
  });

  /** A node that can be at work ends: as a single one, by news of its part, or with its part. */
  function endOne(run: Run, pick: number): void {
    const open = Object.values(run.tasks).flatMap((work) => (work.kind === 'node' ? [work] : []));
    const able = open.filter(({ node }) =>
      progressOf(run).waitsFor[node]?.every((one) => progressOf(run).handles[one] !== undefined),
    );
    const { node, part } = able[pick % able.length]!;
    if (part === undefined) bring(run, node, handle('r'));
    else if (pick % 3 === 0) replied(run, part, [done(node)]);
    else {
      scheduled(run, part);
      news(run, [done(node)]);
    }
  }
});

describe('a part in the history', () => {
  const length = (events: number) => ({ events, bytes: 0, signals: 0, updates: 0, isSuggested: false });
  const since = { events: 0, bytes: 0 };

  test('counts as one activity, however many nodes it has', () => {
    const pressureAt = (run: Run, events: number) =>
      pressureIn(run, length(events), since, { soft: { events: 100, bytes: 1e9 }, hard: { events: 1000, bytes: 1e9 } });
    const single = partRun(wideShape(1, { executors: [READ] }));
    const many = partRun(wideShape(400, { executors: [READ] }));
    expect([single.parts.size, many.parts.size]).toEqual([0, 1]);
    const limit = Array.from({ length: 101 }, (_, events) => events).find(
      (events) => pressureAt(single, events) === 'events',
    );
    expect(limit).toBeLessThan(100);
    expect([pressureAt(many, (limit ?? 0) - 1), pressureAt(many, limit ?? 0)]).toEqual(['none', 'events']);
  });

  test('keeps its run in it: a new history begins when the part has ended', () => {
    const run = partRun(wideShape(3, { executors: [READ] }));
    const [name] = onlyPart(run);
    const pressed = { pressure: 'events', events: 9e9 } as const;
    expect(turn(run, undefined, pressed).next).toBe('wait');
    scheduled(run, name);
    news(run, [done(0), done(1)]);
    expect(turn(run, undefined, pressed).next).toBe('wait');
    replied(run, name, []);
    expect(turn(run, undefined, pressed)).toMatchObject({ next: 'continue', begin: [] });
    expect(progressOf(run).counts).toMatchObject({ succeeded: 2, pending: 1 });
  });

  test('takes no node again at which a worker was lost', () => {
    const run = partRun(wideShape(3, { executors: [READ] }));
    replied(run, onlyPart(run)[0], [], [1]);
    turn(run);
    expect(run.execution !== undefined && isForParts(run.execution, 1)).toBe(false);
    expect(onlyPart(run)[1]).toMatchObject({ nodes: [0, 2], again: [0, 2] });
    expect(underWay(run).toSorted()).toEqual([0, 1, 2]);
  });
});
