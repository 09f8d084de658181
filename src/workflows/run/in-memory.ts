/** A run in memory: its state, and what is computed from that and the slice of its plan. Types alone. */

import type { NodeStatus, Reply, RunSlice } from '../../protocol/index.ts';
import type { ReadyQueue } from './nodes/ready-queue.ts';
import type { Approval } from '../approval/state.ts';
import type { Dialogue, Nodes } from './state.ts';
import type { Backoff, Work } from './work-state.ts';
import type { WorkCounts } from './work-traits.ts';

export interface Run {
  readonly workflowId: string;
  dialogue: Dialogue;
  /** Absent while there is no plan. */
  execution: Execution | undefined;
  /** The work under way, by an id of this history. */
  readonly work: Record<number, Work>;
  begun: number;
  readonly counts: WorkCounts;
  /** The parts under way, by their names. */
  readonly parts: Map<string, Part>;
  /** The agents' runs that this history has started: their ends come to it. */
  readonly agentsHere: Set<string>;
  /** The orders for the workflow; every turn empties it. */
  readonly outbox: Outbox;
  /** Something has changed for the people who are waited for, or look on. */
  isNews: boolean;
  /** Nodes that were blocked may have become free. */
  isFreed: boolean;
  /** How this history comes to its end. */
  drain: Drain;
}

/** The run starts nothing new, so that it comes to rest and can continue as new. */
export interface Drain {
  /** A person wants the run in a new history, however short this one is. */
  isRequested?: true;
  /** When what is under way is asked to stop (ISO 8601). */
  stopAt?: string;
  /** The pressure when that was last done, and the number of what had begun. */
  stopped?: string;
  /** The ids of activities that waited for another attempt shortly before: the server does not say so when it cancels them. */
  retried?: readonly string[];
  /** The store could not take what is to be carried over. */
  backoff?: Backoff;
  /** Workflow tasks that brought so many messages that it was not tried. */
  busyTasks?: number;
}

export interface Outbox {
  /** Ids of work. */
  begin: number[];
  stop: number[];
  /** Names of parts that are told to stop. */
  halt: string[];
  replies: { readonly message: number; readonly reply: Reply }[];
}

export interface Execution extends Nodes {
  readonly slice: RunSlice;
  /** The references of the stored slice, once it is stored: in pages, for the next histories. */
  pages?: readonly string[];
  /** What can be reckoned of the nodes; it shares their records. */
  readonly progress: Progress;
  /** The nodes that write to each resource; reckoned from the slice. */
  readonly lanes: Lanes;
}

/** A part of what is known of the nodes, shared with it, and what is reckoned from that and from the plan. */
export interface Progress extends Pick<Nodes, 'status' | 'handles' | 'failures' | 'causes' | 'unsettled'> {
  readonly inputs: RunSlice['inputs'];
  /** Its inputs and what it waits for beside them. */
  readonly waitsFor: readonly (readonly number[])[];
  readonly dependents: readonly (readonly number[])[];
  readonly counts: Record<NodeStatus, number>;
  /** Inputs that each node still waits for. */
  readonly need: Int32Array;
  readonly ready: ReadyQueue;
  /** Nodes that were ready and may not start yet. */
  blocked: number[];
  readonly window: number;
}

/** The nodes that write to each resource, in the order of their ids; empty for most plans. */
export type Lanes = ReadonlyMap<string, readonly number[]>;

/** A part under way. */
export interface Part {
  /** Its nodes, by the plan that it was begun for; the ids of its work follow each other in the same order. */
  readonly nodes: readonly number[];
  readonly first: number;
  /** Senders of news of it know this key; absent until its activity is scheduled. */
  key?: string;
  /** Those of them that were begun before. */
  readonly again: readonly number[];
  /** Nodes that it may have at work at once. */
  readonly slots: number;
  /** Nodes that have not ended. */
  open: number;
  /** Those of them that the plan has no more. */
  unused: number;
  /** By which its nodes may run, as far as that was looked at. */
  approval: Approval;
  halted?: true;
}
