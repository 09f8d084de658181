/** The carrying out of one plan, by its digest: where its nodes are. An edit puts another in its place. */

import type { Execution } from './in-memory.ts';
import { nodeId, type RunSlice } from '../../protocol/index.ts';
import { openNodes, reopenProgress } from './nodes/progress.ts';
import { lanesOf } from './resources.ts';

/** The carrying out of a plan of whose nodes this is known. */
export function openExecution(slice: RunSlice, concurrency: number, nodes = openNodes(slice.inputs.length)): Execution {
  const progress = reopenProgress(slice.inputs, concurrency, slice.after, nodes);
  return { slice, ...nodes, progress, lanes: lanesOf(slice) };
}

/**
 * Warnings that are told at once; the others are counted.
 * @bound warnings that a question names
 * @beyond counted
 */
const WARNED = 5;

/** The warnings of the document and of these nodes that people see before they approve, a line each. */
export function warningsOf(
  { warnings = {}, documentWarnings = [] }: RunSlice,
  nodes: Iterable<number>,
): readonly string[] {
  const places = [...nodes].filter((node) => warnings[node] !== undefined);
  const told = [...documentWarnings, ...places.slice(0, WARNED).map((node) => `${nodeId(node)}: ${warnings[node]}`)];
  return places.length > WARNED ? [...told, `${places.length - WARNED} more nodes have warnings`] : told;
}

/** Nodes in the order in which they ended; those that have not come first. */
export function inOrderOfEnd({ endedAt, progress }: Execution): readonly number[] {
  return progress.status.map((_, node) => node).toSorted((a, b) => (endedAt[a] ?? 0) - (endedAt[b] ?? 0) || a - b);
}
