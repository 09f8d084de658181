/** What a capability receives when it runs, and the limits of its attempts. */

import type { ResultSet } from '../plan/algebra/index.ts';
import type { JsonValue } from '../plan/index.ts';
import type { ModelReply, ModelRequest } from '../models/index.ts';
import type { ResultHandle } from '../protocol/index.ts';
import type { Result } from '../store/index.ts';

/** The value that a capability returns, by its declared kind of result. */
export interface ResultValues {
  readonly set: ResultSet;
  readonly value: JsonValue;
  readonly text: string;
}

/** The result of a node that this task needs, read on demand. */
export interface TaskInput {
  /** The context key of its step or external context; in a tree `input`. */
  readonly name: string;
  readonly handle: Pick<ResultHandle, 'ref'>;
  read(): Promise<Result>;
}

/** Everything here is part of a node's approval; the display name is not, so it is missing. */
export interface TaskContext<Arguments> {
  /** `''` for a capability with `usesGoal: false`. */
  readonly goal: string;
  readonly task: string;
  readonly hint?: string;
  readonly context?: JsonValue;
  /** The key of a step's result, as written (Osprey: step fields). */
  readonly contextKey?: string;
  /** The action of a step, in a word or a sentence (Calute: step fields). */
  readonly action?: string;
  readonly description?: string;
  /** The type or form of a step's result. */
  readonly expectedOutput?: string;
  readonly successCriteria?: string;
  readonly inputTypes?: { readonly [name: string]: string };
  /** Checked against `input`, with its defaults. */
  readonly arguments: Arguments;
  readonly inputs: readonly TaskInput[];
  /** The same for every attempt of this node in this run; pass it to the system that you write to. */
  readonly idempotencyKey: string;
  /** Aborted if the run is cancelled, the attempt times out or the worker shuts down. */
  readonly signal: AbortSignal;
  /**
   * Reports progress, at most 64 KiB of JSON; the next attempt receives the last report. The worker sends a heartbeat
   * every 3 s by itself.
   */
  heartbeat(details?: JsonValue): void;
  /**
   * The project's model, if configured. Its replies are stored under the idempotency key: a repeated question gets the
   * same reply, and no call is bought twice.
   */
  readonly model?: TaskModel;
  /** The last report of the previous attempt; absent at the first, and if it was lost. */
  readonly lastHeartbeat?: JsonValue;
}

/**
 * Asks the project's model for one task.
 * @throws what the model's client throws, including refusals and cut replies
 */
export type TaskModel = (request: ModelRequest) => Promise<ModelReply>;

/** The time limits of a capability's attempts, in milliseconds. */
export interface CapabilityTimeouts {
  /** Milliseconds of one attempt. Default 5 min. */
  readonly startToCloseMs?: number;
  /**
   * Milliseconds without a heartbeat until an attempt counts as dead. Default 10 s; 60 s for an at-most-once
   * capability.
   */
  readonly heartbeatMs?: number;
}

/**
 * Temporal's retry policy for a capability: the number of attempts, including those whose worker was lost, and the
 * pauses: `initialMs` milliseconds, then `factor` times the one before. Default 5 attempts, first pause 1 s, factor 4.
 * An at-most-once capability has no `attempts`: only attempts that have not begun its effect are repeated.
 */
export interface CapabilityRetry {
  readonly attempts?: number;
  readonly initialMs?: number;
  readonly factor?: number;
}
