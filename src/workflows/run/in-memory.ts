/** A run in memory: its state, and what is computed from its state and its plan. */

import type { NodeStatus, Reply, PlanShape } from '../../protocol/index.ts';
import type { ReadyQueue } from './nodes/ready-queue.ts';
import type { Approval } from '../approval/state.ts';
import type { RunState, Nodes, Backoff, PendingTask } from './state.ts';
import type { TaskCounts } from './task-traits.ts';

export interface Run {
  readonly workflowId: string;
  state: RunState;
  execution: Execution | undefined;
  readonly tasks: Record<number, PendingTask>;
  lastTaskId: number;
  readonly counts: TaskCounts;
  readonly parts: Map<string, Part>;
  readonly agentsHere: Set<string>;
  readonly outbox: Outbox;
  /** Whether something has changed for people who watch the run or have to answer it. */
  viewChanged: boolean;
  recheckNodes: boolean;
  drain: Drain;
}

export interface Drain {
  isRequested?: true;
  stopAt?: string;
  /** The pressure for a new history and the newest task's id, when tasks were last asked to stop. */
  stopped?: string;
  /** Activities that waited for a retry when they were stopped. The server does not report these. */
  retried?: readonly string[];
  backoff?: Backoff;
  /** The number of workflow tasks in which too many messages came to end the history. */
  busyTasks?: number;
}

export interface Outbox {
  begin: number[];
  cancel: number[];
  cancelParts: string[];
  replies: { readonly message: number; readonly reply: Reply }[];
}

export interface Execution extends Nodes {
  readonly planShape: PlanShape;
  /** References of the pages with the stored plan shape, for the next histories. */
  pages?: readonly string[];
  readonly progress: Progress;
  readonly lanes: Lanes;
}

/** The progress of a run's nodes: stored records, and values computed from these and the plan. */
export interface Progress extends Pick<Nodes, 'status' | 'handles' | 'failures' | 'causes' | 'unsettled'> {
  readonly inputs: PlanShape['inputs'];
  readonly waitsFor: readonly (readonly number[])[];
  readonly dependents: readonly (readonly number[])[];
  readonly counts: Record<NodeStatus, number>;
  readonly need: Int32Array;
  readonly ready: ReadyQueue;
  /** Ready nodes that may not start yet. */
  blocked: number[];
  readonly window: number;
}

export type Lanes = ReadonlyMap<string, readonly number[]>;

export interface Part {
  /** The nodes by their indexes when the part began. Their task ids are consecutive, from `first`. */
  readonly nodes: readonly number[];
  readonly first: number;
  /** The key in the part's signals; absent until the part's activity is scheduled. */
  key?: string;
  /** The nodes of the part that the run had already scheduled before this part. */
  readonly again: readonly number[];
  readonly slots: number;
  open: number;
  /** The number of open nodes that an edit removed. */
  unused: number;
  approval: Approval;
  isCancelled?: true;
}
