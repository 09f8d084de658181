import type { ResultSet } from '../plan/algebra/index.ts';
import { findReferences, type JsonValue, type ResourceFound } from '../plan/index.ts';
import type { ModelReply, ModelRequest } from '../models/index.ts';
import { type ResultHandle, describe, type ErrorClass } from '../protocol/index.ts';
import type { Result } from '../store/index.ts';
import { messageOf } from '../plan/text/index.ts';

/**
 * A failure of a given class. docs/errors.md lists the classes and what follows from each.
 * @example throw new CapabilityError('RETRIABLE', 'the service is busy', { retryAfterMs: 5000 });
 */
export class CapabilityError extends Error {
  override readonly name = 'CapabilityError';
  readonly errorClass: ErrorClass;
  /** The time in milliseconds until a RETRIABLE failure may be retried, if the called system names one. */
  readonly retryAfterMs: number | undefined;
  constructor(errorClass: ErrorClass, message: string, options: ErrorOptions & { retryAfterMs?: number } = {}) {
    super(message, options);
    this.errorClass = errorClass;
    this.retryAfterMs = options.retryAfterMs;
  }
}

/**
 * An error that an at-most-once capability throws if its effect certainly did not happen. The node then fails instead
 * of becoming uncertain.
 * @example if (order.state === 'refused') throw new NotApplied('the shop has refused the order');
 */
export class NotApplied extends Error {
  override readonly name = 'NotApplied';
}

/** A resource's name is visible and has no spaces, since the text of a plan shows it beside the effect. */
const NAME = /^[!-~]+$/;
const MAX_NAME = 200;
const EXPECTED = `a text of 1 to ${MAX_NAME} visible ASCII characters without spaces, such as "magnet-12"`;

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
  readonly untrusted?: boolean | string | ((args: never) => unknown);
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
  if (!checked.success) return { ok: true };
  try {
    const found: unknown = resource(checked.data as never);
    if (isName(found)) return { ok: true, resource: found };
    return { ok: false, reason: `${about}: expected ${EXPECTED}, got ${describe(found)}; mend its resource` };
  } catch (error) {
    return { ok: false, reason: `${about}, and its resource threw for these: ${messageOf(error)}; mend it` };
  }
}

/**
 * The untrusted source, if `untrusted` is a function of the arguments. Arguments from another step could name any
 * source, so they count as untrusted.
 */
export function findUntrustedSource(
  { name, input, untrusted }: Writer,
  args: JsonValue = {},
): { readonly untrusted?: string } {
  if (typeof untrusted !== 'function') return {};
  const checked = input.safeParse(args);
  if (!checked.success || findReferences(args).length > 0) return { untrusted: name };
  const found = untrusted(checked.data as never);
  return found === undefined ? {} : { untrusted: typeof found === 'string' ? found : name };
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

/** The result of a node that this task needs. It is read on demand. */
export interface TaskInput {
  /** The key of the step or of the context value; in a tree, `input`. */
  readonly name: string;
  readonly handle: Pick<ResultHandle, 'ref'>;
  read(): Promise<Result>;
}

/** What a capability receives when it runs. An approval covers all of it. */
export interface TaskContext<Arguments> {
  /** The goal of the plan. It is '' for a capability with `usesGoal: false`. */
  readonly goal: string;
  readonly task: string;
  readonly hint?: string;
  readonly context?: JsonValue;
  /** The key of the step's result, as the plan writes it (a step field of Osprey). */
  readonly contextKey?: string;
  /** The action of a step, in a word or a sentence (Calute: step fields). */
  readonly action?: string;
  readonly description?: string;
  /** The type or form that the result should have. */
  readonly expectedOutput?: string;
  readonly successCriteria?: string;
  readonly inputTypes?: { readonly [name: string]: string };
  /** The arguments, checked against `input` and with its defaults. */
  readonly arguments: Arguments;
  readonly inputs: readonly TaskInput[];
  /** A key that is the same for every attempt of this node in this run. Pass it to the system to which you write. */
  readonly idempotencyKey: string;
  /**
   * For an at-most-once effect: a random text, the same in `execute` and `verify`. Only processes with access to the
   * store know it, so nobody else can make a name that contains its hash.
   */
  readonly claimToken?: string;
  /** For `verify`: true if the node was cancelled, so that the capability should stop what is still running. */
  readonly isOver?: true;
  /** Aborted if the run is cancelled, the attempt times out or the worker shuts down. */
  readonly signal: AbortSignal;
  /** Reports progress to the next attempt, at most 64 KiB of JSON. The worker sends heartbeats in any case. */
  heartbeat(details?: JsonValue): void;
  /** The project's model, if configured. A repeated question gets the stored reply and is paid for once. */
  readonly model?: TaskModel;
  /** The last report of the previous attempt. It is absent in the first attempt, and if the report was lost. */
  readonly lastHeartbeat?: JsonValue;
}

/** Asks the project's model. @throws any error of its client, including refusals and replies that were cut off */
export type TaskModel = (request: ModelRequest) => Promise<ModelReply>;

/** The time limits of a capability's attempts, in milliseconds. */
export interface CapabilityTimeouts {
  /** Maximum duration of one attempt in milliseconds. Default 5 min. */
  readonly startToCloseMs?: number;
  /** Milliseconds without a heartbeat until an attempt counts as dead. Default 3 s; 60 s for at-most-once. */
  readonly heartbeatMs?: number;
}

/**
 * Temporal's retry policy: the number of attempts, including those whose worker was lost, and the pauses. The first
 * pause is `initialMs` milliseconds, and each later one is `factor` times longer. Default: 5 attempts, 1 s, 4.
 * At-most-once capabilities have no `attempts`: only attempts that have not begun the effect are repeated.
 */
export interface CapabilityRetry {
  readonly attempts?: number;
  readonly initialMs?: number;
  readonly factor?: number;
}
