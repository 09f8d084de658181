/** The state that a run passes to its next history as `resume` in the input. */

import type { MessageName } from './messages.ts';

/** A JSON value for the next history: the value itself, or references of pages in the result store with its text. */
export type Carried = { readonly value: unknown } | { readonly pages: readonly string[] };

/** Something that arrived from outside. Arrivals wait in a queue until a turn processes them. */
export type Arrival =
  | MessageArrival
  | { readonly is: 'cancelled'; readonly at: string }
  /** A signal of the parent run or an agent, proved by its key. */
  | { readonly is: 'agent'; readonly message: unknown; readonly at: string }
  /** A signal of one of the run's parts, proved by its key. */
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
  /** The run id of the first execution (for an agent: of the topmost run), by which the store identifies the run. */
  readonly firstRunId: string;
  readonly state: Carried;
  readonly planShape?: Carried;
  /** Pages of the trace that were stored with the state. */
  readonly trace?: readonly { readonly ref: string; readonly last: number }[];
  /** Arrivals while the state was stored. The first turn of the next history processes them. */
  readonly late?: readonly Arrival[];
}
