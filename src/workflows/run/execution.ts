/** The carrying out of one plan, by its digest: where its nodes are. Plain data; an edit puts another in its place. */

import { nodeId, type NodeRequest, type RunSlice } from '../../protocol/index.ts';
import type { Holding, Wait } from './dialogue.ts';
import { freshFacts, type NodeFacts } from './node-facts.ts';
import { reopenProgress, type Progress } from './nodes/progress.ts';
import { lanesOf, type Lanes } from './resources.ts';

export interface Execution {
  readonly slice: RunSlice;
  /** The references of the stored slice, once it is stored: in pages, for the next histories. */
  pages?: readonly string[];
  readonly progress: Progress;
  /** The nodes that write to each resource; reckoned from the slice. */
  readonly lanes: Lanes;
  /** How often a person had a node repeated. */
  readonly retries: Map<number, number>;
  /** The signed messages by which people had it repeated. */
  readonly repeatedBy: Map<number, readonly string[]>;
  /** How each node was held back before it began, since a person had it repeated. */
  readonly heldBack: Map<number, Holding>;
  /** What a node had come to before it was held back, since a person had it repeated. */
  readonly worked: Map<number, Pick<NodeRequest, 'workedMs' | 'failures'>>;
  /** Nodes that wait for a person to settle them. */
  readonly settling: Map<number, Wait>;
  /** Nodes that go in no part any more: a worker was lost with them. */
  readonly alone: Set<number>;
  /** When each node was scheduled last and when it ended, in milliseconds since 1970. */
  readonly scheduledAt: (number | undefined)[];
  readonly endedAt: (number | undefined)[];
}

export function openExecution(slice: RunSlice, concurrency: number): Execution {
  return executionOf(slice, concurrency, freshFacts(slice.inputs.length));
}

/** The carrying out of a plan of whose nodes this is known. */
export function executionOf(slice: RunSlice, concurrency: number, facts: NodeFacts): Execution {
  const { status, handles, failures, causes, unsettled, ...own } = facts;
  const state = { status, handles, failures, causes, unsettled };
  return {
    slice,
    progress: reopenProgress(slice.inputs, concurrency, slice.after, state),
    lanes: lanesOf(slice),
    ...own,
  };
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
