/** The request of a part, computed from the run, and its summary for the Web UI. */

import { nodeId, rangesOf, type PartRequest, type RunSlice } from '../protocol/index.ts';
import { counted, cutBytes } from '../plan/text/index.ts';
import { isForParts, type ReadonlyRun } from './run/index.ts';

type Execution = NonNullable<ReadonlyRun['execution']>;
type Part = ReadonlyRun['parts'] extends ReadonlyMap<string, infer One> ? One : never;

export function partRequest(execution: Execution, part: Part, key: string): Omit<PartRequest, 'chain'> {
  const { slice, progress } = execution;
  const { nodes, again, first, slots } = part;
  const inside = new Set(nodes);
  const outside = [...new Set(nodes.flatMap((node) => slice.inputs[node] ?? []))]
    .filter((input) => !inside.has(input))
    .toSorted((a, b) => a - b);
  // A node that may run in parts can wait: its part begins when there is room.
  const isAwaited = (node: number) =>
    progress.dependents[node]?.some((one) => !inside.has(one) && !isForParts(execution, one)) === true;
  return {
    revision: slice.revisionRef,
    nodes: rangesOf(nodes),
    from: rangesOf(outside),
    refs: outside.map((input) => refOf(progress, input)).join(''),
    ...(again.length > 0 && { again: rangesOf(again) }),
    slots,
    work: first,
    key,
    awaited: rangesOf(nodes.filter(isAwaited)),
  };
}

function refOf({ handles }: Execution['progress'], input: number): string {
  const handle = handles[input];
  if (handle === undefined) throw new RangeError(`a part takes the result of ${nodeId(input)}, which has none`);
  return handle.ref;
}

const SUMMARY_BYTES = 80;

/** @example '1,023 nodes: 512 searchGenes, 511 set operators' */
export function summaryOf(nodes: readonly number[], { executors, executorOf }: RunSlice): string {
  const byName = new Map<string, number>();
  for (const node of nodes) {
    const name = executors[executorOf[node] ?? -1]?.name ?? 'set operators';
    byName.set(name, (byName.get(name) ?? 0) + 1);
  }
  const named = [...byName].toSorted(([, a], [, b]) => b - a).map(([name, times]) => `${times} ${name}`);
  return cutBytes(`${counted(nodes.length, 'node')}: ${named.join(', ')}`, SUMMARY_BYTES);
}
