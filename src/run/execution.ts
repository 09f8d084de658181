/** The carrying out of one plan, by its digest: where its nodes are. Plain data; an edit puts another in its place. */

import type { RunSlice } from '../contract/index.ts';
import type { Wait } from './dialogue.ts';
import { openProgress, type Progress } from './nodes/index.ts';
import { lanesOf, type Lanes } from './resources.ts';

export interface Execution {
  readonly slice: RunSlice;
  /** Where the slice is stored, once it is: in pages, for the histories to come. */
  pages?: readonly string[];
  readonly progress: Progress;
  /** Who writes to what; reckoned from the slice. */
  readonly lanes: Lanes;
  /** How often a person had a node repeated. */
  readonly retries: Map<number, number>;
  /** The signed messages by which people had it repeated. */
  readonly repeatedBy: Map<number, readonly string[]>;
  /** How often each node was held back before its effect began, since a person had it repeated. */
  readonly heldBack: Map<number, number>;
  /** Nodes that wait for a person to settle them. */
  readonly settling: Map<number, Wait>;
  /** When each node was scheduled last and when it ended, in milliseconds since 1970. */
  readonly scheduledAt: (number | undefined)[];
  readonly endedAt: (number | undefined)[];
}

export function openExecution(slice: RunSlice, concurrency: number): Execution {
  return {
    slice,
    progress: openProgress(slice.inputs, concurrency, slice.after),
    lanes: lanesOf(slice),
    retries: new Map(),
    repeatedBy: new Map(),
    heldBack: new Map(),
    settling: new Map(),
    scheduledAt: [],
    endedAt: [],
  };
}

/** Nodes in the order in which they ended; those that have not come first. */
export function inOrderOfEnd({ endedAt, progress }: Execution): readonly number[] {
  return progress.status.map((_, node) => node).toSorted((a, b) => (endedAt[a] ?? 0) - (endedAt[b] ?? 0) || a - b);
}
