/** The `resume` in a run's next input: the state for its next history. */

import type { MessageName } from './messages.ts';

/** JSON in transit: the value itself, or a text in pages of the result store. */
export type Carried = { readonly value: unknown } | { readonly pages: readonly string[] };

/** An arrival from outside. All of them wait in one line until a turn takes them in, and go on to the next history. */
export type Arrival =
  | MessageArrival
  /** The run is cancelled through Temporal. */
  | { readonly is: 'cancelled'; readonly at: string }
  /** A signal of the parent or an agent of the run; believed by its key. */
  | { readonly is: 'agent'; readonly message: unknown; readonly at: string }
  /** A signal of a part of the run; believed by its key. */
  | { readonly is: 'part'; readonly message: unknown; readonly at: string }
  /** A signal under a name that no run knows. */
  | { readonly is: 'unknown'; readonly name: string; readonly at: string };

/** A message on its way to a run. */
export interface MessageArrival {
  readonly is?: never;
  readonly name: MessageName;
  readonly payload: unknown;
  /** When the run got it, ISO 8601. */
  readonly at: string;
  /** The id of its update; for a signal, that of the update it replaces. */
  readonly update?: string;
}

export interface Resume {
  /** The version of the state's format. A worker reads its own version and earlier ones. */
  readonly version: number;
  /** The run id of the first execution; of an agent's run, that of its root: what is in the store is found by it. */
  readonly chain: string;
  readonly state: Carried;
  /** The slice of the open plan; absent while there is none. */
  readonly slice?: Carried;
  /** Pages of the trace that were stored with the state. */
  readonly trace?: readonly { readonly ref: string; readonly last: number }[];
  /** Arrivals while the state was being stored; the first turn of the next history takes them in. */
  readonly late?: readonly Arrival[];
}
