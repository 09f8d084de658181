/** The state that a run takes to its next history, in the `resume` of its input. */

import type { MessageName } from './messages.ts';

/**
 * A JSON value on its way to the next history: the value itself, or references of pages in the result store with its
 * text.
 */
export type Carried = { readonly value: unknown } | { readonly pages: readonly string[] };

/** Something that arrived from outside. Arrivals wait in a queue until a turn processes them. */
export type Arrival =
  | MessageArrival
  | { readonly is: 'cancelled'; readonly at: string }
  /** A signal of the parent run or of an agent. Its key proves the sender. */
  | { readonly is: 'agent'; readonly message: unknown; readonly at: string }
  /** A signal of one of the run's parts. Its key proves the sender. */
  | { readonly is: 'part'; readonly message: unknown; readonly at: string }
  | { readonly is: 'unknown'; readonly name: string; readonly at: string };

export interface MessageArrival {
  readonly is?: never;
  readonly name: MessageName;
  readonly payload: unknown;
  readonly at: string;
  /** The id of the update. For a signal: the id of the update that it replaces. */
  readonly update?: string;
}

export interface Resume {
  /** The version of the state's format. A worker reads its own version and earlier ones. */
  readonly version: number;
  /** The run id of the first execution (for an agent, of the topmost run). The store finds the run by this id. */
  readonly firstRunId: string;
  readonly state: Carried;
  /** The plan shape of the open plan; absent if no plan is open. */
  readonly planShape?: Carried;
  /** Pages of the trace that were stored with the state. */
  readonly trace?: readonly { readonly ref: string; readonly last: number }[];
  /** What arrived while the state was being stored. The first turn of the next history processes it. */
  readonly late?: readonly Arrival[];
}
