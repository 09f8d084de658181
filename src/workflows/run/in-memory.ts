/** A run in memory: its state, and what the run computes from that and the slice of its plan. Types only. */

import type { NodeStatus, Reply, RunSlice } from '../../protocol/index.ts';
import type { ReadyQueue } from './nodes/ready-queue.ts';
import type { Approval } from '../approval/state.ts';
import type { RunState, Nodes, Backoff, PendingTask } from './state.ts';
import type { TaskCounts } from './task-traits.ts';

export interface Run {
  readonly workflowId: string;
  state: RunState;
  /** Absent until there is a plan. */
  execution: Execution | undefined;
  /** The work under way, by an id of this history. */
  readonly tasks: Record<number, PendingTask>;
  lastTaskId: number;
  readonly counts: TaskCounts;
  readonly parts: Map<string, Part>;
  /** The agents' runs that this history has started; the server reports their ends here. */
  readonly agentsHere: Set<string>;
  /** Orders for the workflow; every turn empties it. */
  readonly outbox: Outbox;
  /** Something has changed for people who are asked or who watch. */
  viewChanged: boolean;
  /** Blocked nodes have to be checked again. */
  recheckNodes: boolean;
  /** How this history comes to its end. */
  drain: Drain;
}

/** The run starts nothing new, so that it can continue as new. */
export interface Drain {
  /** A person asked for a new history, however short this one is. */
  isRequested?: true;
  /** When the run asks its work to stop (ISO 8601). */
  stopAt?: string;
  /** The pressure at the last stop, and the number of what had begun by then. */
  stopped?: string;
  /**
   * Activities that waited for another attempt shortly before: the server does not report that when it cancels them.
   */
  retried?: readonly string[];
  /** The store could not save the state. */
  backoff?: Backoff;
  /** Workflow tasks that brought so many messages that the run did not try to end the history. */
  busyTasks?: number;
}

export interface Outbox {
  /** Ids of work. */
  begin: number[];
  cancel: number[];
  /** Names of parts to stop. */
  cancelParts: string[];
  replies: { readonly message: number; readonly reply: Reply }[];
}

export interface Execution extends Nodes {
  readonly slice: RunSlice;
  /** The references of the stored slice, in pages, for the next histories. */
  pages?: readonly string[];
  /** What the run computes of its nodes; it shares their records. */
  readonly progress: Progress;
  /** The nodes that write to each resource, computed from the slice. */
  readonly lanes: Lanes;
}

/** Shares the records of the nodes, and adds what follows from them and the plan. */
export interface Progress extends Pick<Nodes, 'status' | 'handles' | 'failures' | 'causes' | 'unsettled'> {
  readonly inputs: RunSlice['inputs'];
  /** Its inputs, and the other nodes that it waits for. */
  readonly waitsFor: readonly (readonly number[])[];
  readonly dependents: readonly (readonly number[])[];
  readonly counts: Record<NodeStatus, number>;
  /** The number of inputs that each node still waits for. */
  readonly need: Int32Array;
  readonly ready: ReadyQueue;
  /** Ready nodes that may not start yet. */
  blocked: number[];
  readonly window: number;
}

/** The nodes that write to each resource, by id; empty for most plans. */
export type Lanes = ReadonlyMap<string, readonly number[]>;

/** A part under way. */
export interface Part {
  /** Its nodes in the plan that it began for; the ids of its work are consecutive in the same order. */
  readonly nodes: readonly number[];
  readonly first: number;
  /** Signals of the part carry this key; absent until its activity is scheduled. */
  key?: string;
  /** The nodes that had begun before. */
  readonly again: readonly number[];
  /** Nodes that may run at once in it. */
  readonly slots: number;
  /** Nodes that have not ended. */
  open: number;
  /** The open nodes that the plan no longer has. */
  unused: number;
  /** The approval under which its nodes were last checked. */
  approval: Approval;
  isCancelled?: true;
}
