/** What a run hands to the history in which it goes on: the `resume` of its next input. */

import type { MessageName } from './messages.ts';

/** Text as it travels: as it stands, or in pages of the result store. */
export type Carried = { readonly text: string } | { readonly pages: readonly string[] };

/** A message on its way to a run. */
export interface Arrival {
  readonly name: MessageName;
  readonly payload: unknown;
  /** When the run got it, ISO 8601. */
  readonly at: string;
  /** The id of the update it came as; absent for a signal. */
  readonly update?: string;
}

export interface Resume {
  /** Of the form of the snapshot. A worker takes its own version and those before. */
  readonly version: number;
  readonly snapshot: Carried;
  /** The slice of the open plan; absent while there is none. */
  readonly slice?: Carried;
  /** What arrived while the snapshot was being stored. */
  readonly late?: readonly Arrival[];
}
