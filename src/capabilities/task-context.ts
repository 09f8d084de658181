/** The context that a capability gets when it runs, and the bounds of its attempts. */

import type { ResultSet } from '../plan/algebra/index.ts';
import type { JsonValue } from '../plan/index.ts';
import type { ModelReply, ModelRequest } from '../models/index.ts';
import type { ResultHandle } from '../protocol/index.ts';
import type { Result } from '../store/index.ts';

/** The value a capability returns, by the kind of result it declares. */
export interface ResultValues {
  readonly set: ResultSet;
  readonly value: JsonValue;
  readonly text: string;
}

/** The result of a node that this task needs, read only when it is asked for. */
export interface TaskInput {
  /** The context key of the step or of the external context it comes from; in a tree `input`. */
  readonly name: string;
  readonly handle: Pick<ResultHandle, 'ref'>;
  read(): Promise<Result>;
}

/** Every field of it is part of what a node is approved as; the display name is not, so that it is not here. */
export interface TaskContext<Arguments> {
  /** `''` for a capability with `usesGoal: false`. */
  readonly goal: string;
  readonly task: string;
  readonly hint?: string;
  readonly context?: JsonValue;
  /** The key of a step's result, as it was written (Osprey: step fields). */
  readonly contextKey?: string;
  /** The work of a step, in a word or a sentence (Calute: step fields). */
  readonly action?: string;
  /** The description of a step. */
  readonly description?: string;
  /** The type or the form that a step's result should have. */
  readonly expectedOutput?: string;
  /** How to tell that a step went well. */
  readonly successCriteria?: string;
  /** The types under which a step asks for inputs, by their names. */
  readonly inputTypes?: { readonly [name: string]: string };
  /** Checked against `input`, with its defaults filled in. */
  readonly arguments: Arguments;
  readonly inputs: readonly TaskInput[];
  /** The same for every attempt of this node in this run; hand it to the system that you write to. */
  readonly idempotencyKey: string;
  /** Aborted when the run is cancelled, the attempt has timed out or the worker shuts down. */
  readonly signal: AbortSignal;
  /**
   * Reports progress, at most 64 KiB of JSON: the next attempt is given what was reported last. The worker beats every 3 s
   * by itself.
   */
  heartbeat(details?: JsonValue): void;
  /**
   * The project's model, where one is configured. Its replies are kept under the idempotency key: an attempt that asks
   * the same again is given the same reply, and no call is bought twice.
   */
  readonly model?: TaskModel;
  /** The last report of the attempt before; absent at the first, and where that was not heard. */
  readonly lastHeartbeat?: JsonValue;
}

/**
 * Asks the project's model on behalf of one task.
 * @throws what the model's client throws; a refusal and a reply that was cut off among it
 */
export type TaskModel = (request: ModelRequest) => Promise<ModelReply>;

/** The time limits of a capability's attempts, in milliseconds. */
export interface CapabilityTimeouts {
  /** One attempt, in milliseconds. Default 5 min. */
  readonly startToCloseMs?: number;
  /** Silence after which an attempt counts as dead. Default 10 s; of an at-most-once capability 60 s. */
  readonly heartbeatMs?: number;
}

/**
 * Temporal's retry policy for a capability: the number of attempts, those included whose worker was lost, and the pauses between
 * them: `initialMs` milliseconds, and then `factor` times the one before. Default 5 attempts, first pause 1 s, factor 4. An
 * at-most-once capability states no `attempts`: only attempts that have not begun its effect are followed by another.
 */
export interface CapabilityRetry {
  readonly attempts?: number;
  readonly initialMs?: number;
  readonly factor?: number;
}
