/** What a capability receives when it runs, and the limits of its attempts. */

import type { ResultSet } from '../plan/algebra/index.ts';
import type { JsonValue, ResourceFound } from '../plan/index.ts';
import type { ModelReply, ModelRequest } from '../models/index.ts';
import { type ResultHandle, describe, type ErrorClass } from '../protocol/index.ts';
import type { Result } from '../store/index.ts';
import { messageOf } from '../plan/text/index.ts';

/**
 * A failure of a given class; docs/errors.md has the classes and their consequences.
 * @example throw new CapabilityError('RETRIABLE', 'the service is busy', { retryAfterMs: 5000 });
 */
export class CapabilityError extends Error {
  override readonly name = 'CapabilityError';
  readonly errorClass: ErrorClass;
  /** Milliseconds until a RETRIABLE failure may be retried, if the outside world says so. */
  readonly retryAfterMs: number | undefined;
  constructor(errorClass: ErrorClass, message: string, options: ErrorOptions & { retryAfterMs?: number } = {}) {
    super(message, options);
    this.errorClass = errorClass;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/**
 * Thrown by an at-most-once capability whose effect certainly did not happen: the node fails and is not uncertain.
 * @example if (order.state === 'refused') throw new NotApplied('the shop has refused the order');
 */
export class NotApplied extends Error {
  override readonly name = 'NotApplied';
}

/** Visible and without spaces, since a plan's text shows it beside the effect. */
const NAME = /^[!-~]+$/;
const MAX_NAME = 200;
const EXPECTED = `a text of 1 to ${MAX_NAME} visible ASCII characters without spaces, such as "magnet-12"`;

/** What is wrong with a declared resource; a function can be checked only by its result. */
export function resourceProblem(resource: unknown, effect: unknown): string | undefined {
  if (resource === undefined) return undefined;
  if (effect === 'read') return 'its effect is read, and only what is written to is a resource; leave resource out';
  if (typeof resource === 'function') return undefined;
  return isName(resource)
    ? undefined
    : `its resource is ${EXPECTED}, or a function that returns one, not ${describe(resource)}`;
}

interface Writer {
  readonly name: string;
  readonly input: { safeParse(args: unknown): { readonly success: boolean; readonly data?: unknown } };
  readonly resource?: string | ((args: never) => unknown);
}

/** @param isWhole false if the arguments still lack the result of another step */
export function findResource(
  { name, input, resource }: Writer,
  args: JsonValue | undefined,
  isWhole: boolean,
): ResourceFound {
  if (resource === undefined) return { ok: true };
  if (typeof resource === 'string') return { ok: true, resource };
  const about = `what ${name} writes to is said by its arguments`;
  if (!isWhole) {
    const what = 'one of them is the result of another step, which nobody knows yet';
    return { ok: false, reason: `${about}, and ${what}; write it out in the plan` };
  }
  const checked = input.safeParse(args ?? {});
  // The check of arguments reports those that do not fit.
  if (!checked.success) return { ok: true };
  try {
    const found: unknown = resource(checked.data as never);
    if (isName(found)) return { ok: true, resource: found };
    return { ok: false, reason: `${about}: expected ${EXPECTED}, got ${describe(found)}; mend its resource` };
  } catch (error) {
    return { ok: false, reason: `${about}, and its resource threw for these: ${messageOf(error)}; mend it` };
  }
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_NAME && NAME.test(value);
}

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
