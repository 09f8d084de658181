/** The nodes of a part, beside those that follow from the words alone: the largest set that nothing outside holds up. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { NodeExecutor } from '../../../../src/protocol/index.ts';
import { openExecution } from '../../../../src/workflows/run/run.ts';
import type { Execution } from '../../../../src/workflows/run/in-memory.ts';
import { fail, startNext, succeed } from '../../../../src/workflows/run/nodes/progress.ts';
import { collectPart, isForParts } from '../../../../src/workflows/run/parts.ts';
import { handle, wideShape } from '../make-run.ts';
import { ALONE, partShape, READ } from './part-run.ts';

const COMBINE: NodeExecutor = { ...READ, kind: 'combine', label: 'operator' };
const EXECUTORS = [READ, COMBINE, ...Object.values(ALONE)];
const FIT = 2;

const plans = fc
  .array(fc.tuple(fc.array(fc.nat(), { maxLength: 3 }), fc.nat(EXECUTORS.length * 4)), { minLength: 20, maxLength: 40 })
  .map((rows) => ({
    inputs: rows.map(([picks], node) => (node === 0 ? [] : [...new Set(picks.map((pick) => pick % node))])),
    // Most nodes may go together.
    executorOf: rows.map(([, pick]) => (pick < EXECUTORS.length ? pick : pick % FIT)),
  }));

/** A run in which some nodes have ended, and its ready nodes are begun. */
const standings = fc.record({
  plan: plans,
  ends: fc.array(fc.constantFrom('done', 'failed', 'open'), { maxLength: 8 }),
  refused: fc.uniqueArray(fc.nat(39), { maxLength: 4 }),
  alone: fc.uniqueArray(fc.nat(39), { maxLength: 2 }),
  held: fc.uniqueArray(fc.nat(39), { maxLength: 2 }),
});

type Standing = typeof standings extends fc.Arbitrary<infer One> ? One : never;

function stand({ plan, ends, alone, held, refused }: Standing) {
  const execution = openExecution(partShape(plan.inputs, { executors: EXECUTORS, executorOf: plan.executorOf }), 1000);
  const { progress } = execution;
  for (const end of ends) {
    const node = startNext(progress);
    if (node === undefined) break;
    if (end === 'done') succeed(progress, node, handle(`r${node}`));
    if (end === 'failed') fail(progress, node, 'failed', { type: 'FATAL', message: 'broke' });
  }
  for (const node of alone) execution.individual[node] = true;
  for (const node of held) execution.backoffs[node] = {} as never;
  const mayStart = (node: number) => !refused.includes(node);
  const seeds: number[] = [];
  for (let node = startNext(progress, mayStart); node !== undefined; node = startNext(progress, mayStart)) {
    if (isForParts(execution, node)) seeds.push(node);
  }
  return { execution, seeds, mayStart };
}

/** Adds what may be added until nothing can. */
function largest(execution: Execution, seeds: readonly number[], mayStart: (node: number) => boolean): number[] {
  const { status, handles, waitsFor } = execution.progress;
  const part = new Set(seeds);
  for (let size = -1; size !== part.size;) {
    size = part.size;
    status.forEach((one, node) => {
      const isReady = waitsFor[node]?.every((input) => part.has(input) || handles[input] !== undefined) === true;
      const isInside = waitsFor[node]?.some((input) => part.has(input)) === true;
      if (one === 'pending' && isReady && isInside && isForParts(execution, node) && mayStart(node)) part.add(node);
    });
  }
  return [...part].toSorted((a, b) => a - b);
}

describe('a part', () => {
  test('is its seeds and all that waits for nothing else, of the nodes that may go together', () => {
    let gathered = 0;
    fc.assert(
      fc.property(standings, (one) => {
        const { execution, seeds, mayStart } = stand(one);
        const before = [...execution.progress.status];
        const part = collectPart(execution, seeds, mayStart);
        expect(part).toEqual(largest(execution, seeds, mayStart));
        expect(execution.progress.status).toEqual(before);
        for (const node of part) {
          expect(one.plan.executorOf[node]).toBeLessThan(FIT);
          expect([one.alone.includes(node), one.held.includes(node), one.refused.includes(node)]).toEqual([
            false,
            false,
            false,
          ]);
        }
        gathered += part.length - seeds.length;
      }),
      { numRuns: 500 },
    );
    // Few plans have none to gather.
    expect(gathered).toBeGreaterThan(100);
  });

  test('has no node that a person had repeated', () => {
    const execution = openExecution(partShape([[], [0], [1]]), 10);
    execution.retries[1] = 1;
    expect(collectPart(execution, [0], () => true)).toEqual([0]);
  });

  test.each(Object.entries(ALONE))('has no node of %s', (_, executor) => {
    const planShape = partShape([[], [0], [1]], { executors: [READ, executor], executorOf: [0, 1, 0] });
    const execution = openExecution(planShape, 10);
    expect(isForParts(execution, 1)).toBe(false);
    expect(collectPart(execution, [0], () => true)).toEqual([0]);
  });

  const chain = (nodes: number) => Array.from({ length: nodes }, (_, node) => (node === 0 ? [] : [node - 1]));

  /** All that is ready is begun. */
  function begun(inputs: readonly (readonly number[])[]) {
    const execution = openExecution(partShape(inputs), inputs.length);
    const seeds: number[] = [];
    const { progress } = execution;
    for (let node = startNext(progress); node !== undefined; node = startNext(progress)) seeds.push(node);
    return { execution, progress, seeds };
  }

  test('has at most 4096 nodes', () => {
    const { execution, seeds } = begun(chain(4097));
    expect(collectPart(execution, seeds, () => true)).toEqual(Array.from({ length: 4096 }, (_, node) => node));
  });

  test('gives back the seeds for which there is no room, to be begun next', () => {
    const { execution, progress, seeds } = begun(wideShape(4100).inputs);
    const part = collectPart(execution, seeds, () => true);
    expect(part).toHaveLength(4096);
    expect(progress.counts).toMatchObject({ running: 4096, pending: 4 });
    const next: (number | undefined)[] = [];
    for (let node = startNext(progress); node !== undefined; node = startNext(progress)) next.push(node);
    expect(next.toSorted()).toEqual(seeds.filter((seed) => !part.includes(seed)).toSorted());
  });

  test('takes at most 8192 results from outside, however many a node of it takes', () => {
    const roots = 9000;
    const inputs = [
      ...wideShape(roots).inputs,
      ...[0, 1, 2].map((at) => Array.from({ length: 4000 }, (_, input) => at * 2500 + input)),
    ];
    const { execution, progress } = begun(inputs);
    for (let node = 0; node < roots; node += 1) succeed(progress, node, handle(`r${node}`));
    const seeds = [startNext(progress), startNext(progress), startNext(progress)] as number[];
    // The three take 0 to 3999, 2500 to 6499 and 5000 to 8999: two of them 6500, all 9000.
    const part = collectPart(execution, seeds, () => true);
    expect(part).toHaveLength(2);
    expect(progress.counts).toMatchObject({ running: 2, pending: 1 });
  });

  test('leaves a node alone that takes more than 8192 by itself', () => {
    const takes = (more: number) => openExecution(partShape([[], Array.from({ length: 8192 + more }, () => 0)]), 10);
    expect([isForParts(takes(0), 1), isForParts(takes(1), 1)]).toEqual([true, false]);
  });
});
