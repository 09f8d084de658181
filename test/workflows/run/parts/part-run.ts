/** Runs that go by parts, and what their workers tell of them. */

import {
  packEnds,
  type NodeExecutor,
  type PartEnd,
  type RunOptions,
  type PlanShape,
} from '../../../../src/protocol/index.ts';
import { arrive } from '../../../../src/workflows/run/arrive.ts';
import type { TaskEnd } from '../../../../src/workflows/run/task-traits.ts';
import type { Part, Run } from '../../../../src/workflows/run/in-memory.ts';
import { approvedRun, AT, edit, executor, openedRun, REFUSES, shapeOf, turn } from '../make-run.ts';

export const READ = executor('read', 'search');
export const REF = 'r'.repeat(43);

/** Executors that no part takes. */
export const ALONE: Readonly<Record<string, NodeExecutor>> = {
  'an effect': executor('idempotent', 'write'),
  'an effect at most once': executor('at-most-once', 'fire'),
  'a question': { ...READ, kind: 'wait' },
  'an agent': { ...READ, kind: 'agent' },
  'a capability with a resource': { ...READ, resource: 'magnet-12' },
  'a capability that is alone': { ...READ, alone: true },
};

/** A plan of a worker that knows parts. */
export function partShape(inputs: PlanShape['inputs'], over: Partial<PlanShape> = {}): PlanShape {
  return shapeOf(inputs, { executors: [READ], ...over });
}

/** An approved run in the lane of parts, with its first nodes under way. */
export function partRun(planShape: PlanShape, options: Partial<RunOptions> = {}): Run {
  return approvedRun(planShape, { lane: 'parts', ...options });
}

/** The parts under way, by name. */
export function partsIn(run: Run): readonly (readonly [string, Part])[] {
  return [...run.parts];
}

/** The only part under way. */
export function onlyPart(run: Run): readonly [string, Part] {
  const [one, ...more] = run.parts;
  if (one === undefined || more.length > 0) throw new Error(`there are ${run.parts.size} parts`);
  return one;
}

export function done(node: number, ref = REF): PartEnd {
  return { node, handle: { ref, kind: 'set', count: 1, bytes: 3 } };
}

function hear(run: Run, incoming: Parameters<typeof arrive>[1]): void {
  arrive(run, incoming, REFUSES);
}

/** Its activity is scheduled, under this word. */
export function scheduled(run: Run, part: string, key = 'secret', at = AT): void {
  hear(run, { is: 'part-begun', part, key, at });
}

/** A signal of a worker, or of anybody. */
export function signalled(run: Run, message: unknown, at = AT): void {
  hear(run, { is: 'part', message, at });
}

/** @param alone nodes that are given back, each to an activity of its own @param barred executors of which no node goes in a part */
export function news(
  run: Run,
  ends: readonly PartEnd[],
  alone: readonly number[] = [],
  barred: readonly string[] = [],
): void {
  signalled(run, { key: 'secret', ends: packEnds(ends, { alone, barred }) });
}

/** The activity of a part has ended. */
export function endedWith(run: Run, part: string, ended: TaskEnd, at = AT): void {
  hear(run, { is: 'part-ended', part, ended, at });
}

export function replied(run: Run, part: string, ends: readonly PartEnd[], alone: readonly number[] = []): void {
  endedWith(run, part, { ok: true, value: packEnds(ends, { alone }) });
}

/** Its worker was lost, and no other is given it. */
export const LOST: TaskEnd = {
  ok: false,
  end: { status: 'failed', type: 'Timeout.HEARTBEAT', message: 'no heartbeat' },
  failure: { type: 'CRITICAL', message: 'no heartbeat', details: [] },
};

/** So many reads, and an effect that nobody has approved yet, so that the plan can be edited while they go on. */
function readsAndEffect(reads: number, digest: string): PlanShape {
  const inputs = Array.from({ length: reads + 1 }, () => []);
  const executors = [READ, executor('idempotent', 'write')];
  return partShape(inputs, { executors, executorOf: inputs.map((_, node) => Number(node === reads)), digest });
}

/** A run whose reads are under way in one part. */
export function readingRun(reads: number, options: Partial<RunOptions> = {}) {
  const run = openedRun(readsAndEffect(reads, 'a'.repeat(64)), { lane: 'parts', approval: 'effects', ...options });
  turn(run);
  const [name, part] = onlyPart(run);
  return { run, name, part };
}

/** @param sameAs for each node of the new plan that the plan before has too: which it is there */
export function editReads(run: Run, reads: number, sameAs: readonly number[]): void {
  edit(run, readsAndEffect(reads, 'b'.repeat(64)), sameAs);
}
