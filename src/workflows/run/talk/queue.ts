/** Requests: the activities that a message, or silence, needs before it can take effect. Plain data. */

import type { Answer, Control, Planning, MessageName } from '../../../protocol/index.ts';
import type { JsonValue } from '../../../plan/index.ts';
import type { Signed } from '../../approval/state.ts';

export type Queued = QueuedMessage | QueuedDefault;

/** For a message; while it waits in line it is judged again when its turn comes. */
export interface QueuedMessage {
  readonly for: 'message';
  readonly message: Message;
}

/** The deadline of a question has passed, and its default is to be stored. */
export interface QueuedDefault {
  readonly for: 'default';
  readonly question: string;
}

/** The request to an activity, and for whom. */
export type Need =
  /** An edit: its plan has to be compiled. */
  | { readonly do: 'compile'; readonly decision: Signed }
  /** A plan is wanted that is better: the planner goes through its stages. */
  | { readonly do: 'revise'; readonly decision: Signed; readonly planning: Planning }
  | {
      readonly do: 'store';
      /** Absent for a question of the planner. */
      readonly node?: string;
      readonly value: JsonValue;
      readonly schema?: Readonly<Record<string, JsonValue>>;
      readonly as: StoredAs;
    }
  /** A token names a key that is not known: the project may have it by now. */
  | { readonly do: 'keys' };

/** The use of the stored value. */
export type StoredAs =
  | { readonly what: 'answer'; readonly answer: Answer; readonly verified: boolean; readonly token?: string }
  | {
      readonly what: 'result';
      readonly control: Control;
      readonly verified: boolean;
      readonly personKey?: true;
      readonly token?: string;
    }
  | { readonly what: 'default'; readonly question: string };

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
