/** Something that was said to a run, as it arrived: nothing about it is believed yet. */

import type { MessageName } from '../../../protocol/index.ts';

export interface Message {
  /** Counts from 1 in a run, also when it goes on in a new history. */
  readonly id: number;
  readonly name: MessageName;
  readonly payload: unknown;
  /** When the run heard it, ISO 8601. */
  readonly at: string;
  /** The id of the update it came as, or of a signal that of the update it stands for. */
  readonly update?: string;
}
