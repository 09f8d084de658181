/**
 * How often anything is attempted: a node, a plan, a decision. Failures of its own doing count; a worker that died, was
 * shut down or had another version has said nothing about it, nor has a store that is away. Workers that died are
 * counted apart, so that work which kills its workers ends too: only if the attempt had said that it was at work, since a
 * worker that is lost says nothing of whose fault that is. Work that has lost several is tried one piece after the other.
 */

import { ApplicationFailure, Context } from '@temporalio/activity';
import { msToNumber, type ApplicationFailureOptions } from '@temporalio/common';
import { failuresBefore, forgetLost, keep, keepTelling, lastBeat, workedUntil, type Beat } from './beat.ts';
import { isHeldBack } from './begin-effect.ts';
import type { Capability } from '../capabilities/index.ts';
import {
  isHeld,
  RunFailureError,
  USUAL_BOUNDS,
  type Held,
  type NodeExecutor,
  type NodeRequest,
} from '../protocol/index.ts';
import { toFailure } from './failures.ts';
import { countLost } from './meters.ts';
import { detailsOf, guarded, type Beginning } from './guard.ts';

/**
 * Attempts whose worker was not heard of again.
 * @bound workers that are lost over one piece of work
 * @beyond `WorkerLost`, and a person is asked
 */
export const MAX_LOST = 5;
/** Lost workers that nobody heard an attempt from, for each that counts. */
const MAX_SILENT = 3;
/**
 * Work that has lost so many workers is tried apart from other such work in its process. If it is at work for `ms` then,
 * its worker was lost to other work. The heartbeat that says so gets
 * `tellMs` to reach the server.
 */
const APART = { lost: 3, ms: 15_000, againMs: 5_000, tellMs: 250 };
/** How often what is no node may fail by its own doing; the stages of planning have `PLANNING`. */
export const ATTEMPTS = {
  /**
   * @bound compiling: attempts
   * @beyond run or edit fails
   */
  compile: 4,
  /**
   * @bound deciding a step: attempts
   * @beyond the run fails
   */
  decide: 4,
  /**
   * @bound saying why a run failed: attempts
   * @beyond without it
   */
  report: 2,
  /**
   * @bound attempts at a part that fails as a whole
   * @beyond the nodes that have not ended fail
   */
  part: 4,
  /**
   * @bound storing an answer: attempts
   * @beyond `failed`
   */
  answer: 4,
  /**
   * @bound reading keys: attempts
   * @beyond `failed`
   */
  keys: 4,
  /**
   * @bound saving what is handed over: attempts
   * @beyond goes on in this history
   */
  save: 3,
  /**
   * @bound keeping the results in a conversation: attempts
   * @beyond the run ends without
   */
  keep: 3,
  /**
   * @bound looking at agents' runs: attempts
   * @beyond looked at again later
   */
  look: 3,
  /**
   * @bound loading what was handed over: attempts
   * @beyond the run waits, and has it loaded again
   */
  load: 4,
} as const;

/** How often what a capability does is attempted, and with which pauses: by the worker that counts and by the run that asks. */
export function retryOf(capability: Capability | undefined): NodeExecutor['retry'] {
  const { retry = {}, effect = 'read' } = capability ?? {};
  return { ...USUAL_BOUNDS.retry, ...retry, ...(effect === 'at-most-once' && { attempts: 1 }) };
}

/**
 * Says how often the capability may fail, and for how long all its attempts may be at work, once it is known which it is.
 * @throws RunFailureError when it has used up one of them
 */
export type Allow = (attempts: number, inAllMs?: number) => void;

/**
 * Runs one attempt. The failure that comes out is final when the capability has failed as often as it may; else the pause after it
 * counts the failures alone, and no outage lengthens it.
 * @param held of a node: how long it was at work before it was held, and how often it failed; where it is held now, its reply says both
 * @throws RunFailureError `WorkerLost` when too many workers were lost over it
 */
export async function countedAttempt<T>(
  work: (allow: Allow) => Promise<T>,
  beginning: Beginning,
  held?: Pick<NodeRequest, 'workedMs' | 'failures'>,
): Promise<T> {
  const { workedMs = 0, failures: handed = 0 } = held ?? {};
  const { attempt, startToCloseTimeoutMs } = Context.current().info;
  const before = lastBeat();
  const next = nextBeat(before, attempt, startToCloseTimeoutMs);
  const beat = { ...next, ...(before === undefined && { failures: handed }), workedMs: before?.workedMs ?? workedMs };
  if (wasLost(before, beat)) countLost();
  // The first is told when it has lasted (`guard.ts`); a later one at once, since the one before told nothing, or trouble.
  (attempt > 1 ? keepTelling : keep)(beat);
  const ended = attempt - 1 - (beat.failures - handed) - beat.others;
  if (beat.lost >= MAX_LOST || ended >= MAX_SILENT * MAX_LOST) throw new RunFailureError('WorkerLost', LOST);
  const endApart = beat.lost >= APART.lost ? await beginApart(beat) : undefined;
  let most: number = USUAL_BOUNDS.retry.attempts;
  let inAll = Infinity;
  let timer: NodeJS.Timeout | undefined;
  let giveUp: (why: Error) => void = () => undefined;
  const isSpent = new Promise<never>((_, reject) => (giveUp = reject));
  const allow: Allow = (attempts, inAllMs = Infinity) => {
    [most, inAll] = [attempts, inAllMs];
    const why = new RunFailureError(
      'Timeout.SCHEDULE_TO_CLOSE',
      `all its attempts together were at work for ${inAll / 1000} s, as long as they may`,
    );
    const left = inAll - workedUntil(beat);
    if (left <= 0) throw why;
    const late = () => {
      beginning.stop?.abort(why);
      giveUp(why);
    };
    if (left <= LONGEST_TIMER_MS) timer = setTimeout(late, left);
    if (beat.failures < most) return;
    const text = `each of ${beat.failures} attempts failed, the last for taking longer than ${startToCloseTimeoutMs / 1000} s`;
    throw new RunFailureError('Timeout.START_TO_CLOSE', text);
  };
  try {
    const reply = await Promise.race([work(allow), isSpent]);
    const worked = beginning.begun && inAll < Infinity ? workedUntil(beat) : beat.workedMs;
    if (held === undefined || !isHeld(reply)) return reply;
    return { ...reply, ...(worked > 0 && { workedMs: worked }), ...(beat.failures > 0 && { failures: beat.failures }) };
  } catch (error) {
    if (isShutdown()) {
      keepTelling({ ...beat, others: beat.others + 1, ended: true });
      throw error;
    }
    const failure = toFailure(error, detailsOf(beginning));
    if (!(failure instanceof ApplicationFailure) || failure.nonRetryable === true) throw error;
    const failures = beat.failures + 1;
    keepTelling({ ...beat, failures, ended: true });
    const isOver = failures >= most || workedUntil(beat) >= inAll || (beginning.begun && beginning.once === true);
    throw isOver ? final(failure) : failures === attempt ? failure : paced(failure, failures);
  } finally {
    clearTimeout(timer);
    endApart?.();
  }
}

/** The work of this process that is tried apart. */
let apart: Beat | undefined;

/** @throws ApplicationFailure while other work is tried apart; it counts as no attempt */
async function beginApart(beat: Beat): Promise<() => void> {
  if (apart !== undefined) {
    keepTelling({ ...beat, others: beat.others + 1, ended: true });
    const message = 'it lost several workers, as did other work that is tried now; it is tried when that has ended';
    throw ApplicationFailure.create({ type: 'RETRIABLE', message, nextRetryDelay: APART.againMs });
  }
  apart = beat;
  const end = () => (apart = apart === beat ? undefined : apart);
  const timer = setTimeout(() => {
    end();
    forgetLost();
  }, APART.ms).unref();
  await new Promise((resolve) => setTimeout(resolve, APART.tellMs));
  return () => {
    clearTimeout(timer);
    end();
  };
}

/** Node.js knows no longer ones. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** An attempt at what is no node, as often as it may fail. */
export function counted<T>(most: number, work: () => Promise<T>): Promise<T> {
  const beginning = { begun: true };
  const allowed = (allow: Allow) => {
    allow(most);
    return work();
  };
  return guarded(() => countedAttempt(allowed, beginning), beginning);
}

/** As `counted`, for work that its run begins again by itself where it is held. */
export function attempted<T>(most: number, work: () => Promise<T>): Promise<T | Held> {
  return counted(most, () => orHeld(work, { begun: false }));
}

/** Whether one more failure is the last, where as many may be. */
export function isLastChance(most: number): boolean {
  return failuresBefore() + 1 >= most;
}

export async function orHeld<T>(work: () => Promise<T>, beginning: Beginning): Promise<T | Held> {
  try {
    return await work();
  } catch (error) {
    const held = heldBy(error, beginning);
    if (held === undefined) throw error;
    return held;
  }
}

/** Work that has not begun, or may be done again, has not failed: its run is told why, and begins it later. */
export function heldBy(error: unknown, { begun, once = false }: Beginning): Held | undefined {
  if (isHeldBack(error)) {
    const { message, spent } = error;
    return spent === undefined ? { held: message } : { held: message, by: 'budget', usage: spent };
  }
  const failure = toFailure(error);
  if (!(failure instanceof ApplicationFailure)) return undefined;
  const { type, message } = failure;
  if (type === 'CapabilityChanged') return { held: message, by: 'version' };
  return type === 'Unavailable' && !(begun && once) ? { held: message, by: 'fault' } : undefined;
}

const LOST =
  `${MAX_LOST} workers were lost while they carried it out; perhaps it ends them (memory, a native fault, process.exit). ` +
  'Look at their logs before it is tried again';

/** @param before what the attempt before told last, as far as it was heard */
export function nextBeat(
  before: Beat | undefined,
  attempt: number,
  startToCloseMs: number,
  now = Date.now(),
): Beat & { readonly lost: number } {
  const { failures: failed = 0, others = 0, details, lost = lostBefore(before) } = before ?? {};
  const failures = failed + Number(before !== undefined && wasTooSlow(before, attempt, startToCloseMs, now));
  // The first attempt says nothing for a moment; any later one says at once that it is at work.
  const wasAtWork = before === undefined || before.attempt === attempt - 1;
  return {
    attempt,
    startedAt: now,
    failures,
    others,
    lost: lost + Number(wasAtWork && wasLost(before, { attempt, failures })),
    ...(details !== undefined && { details }),
  };
}

/** Of a heartbeat that does not say it: every attempt that has not ended otherwise. */
function lostBefore(before: Beat | undefined): number {
  return before === undefined ? 0 : Math.max(0, before.attempt - 1 - before.failures - before.others);
}

/** It lived for as long as it might, and the server gave it up then: being slow is the doing of the capability. */
function wasTooSlow(before: Beat, attempt: number, startToCloseMs: number, now: number): boolean {
  return before.ended !== true && before.attempt === attempt - 1 && now - before.startedAt >= startToCloseMs;
}

/** Nothing told its end, and it was not too slow. */
export function wasLost(before: Beat | undefined, { attempt, failures }: Pick<Beat, 'attempt' | 'failures'>): boolean {
  const isTold = before?.ended === true && before.attempt === attempt - 1;
  return attempt > 1 && !isTold && failures === (before?.failures ?? 0);
}

/** The worker of this attempt is being shut down, and the attempt was told. */
export function isShutdown(): boolean {
  return Context.current().cancellationDetails?.workerShutdown === true;
}

/** As it is, and not tried again. */
export function final(failure: ApplicationFailure): ApplicationFailure {
  return again(failure, { nonRetryable: true });
}

/** Tried again after the pause that its policy has after so many failures: the server counts lost attempts too. */
function paced(failure: ApplicationFailure, failures: number): ApplicationFailure {
  const { initialInterval = 1000, backoffCoefficient = 2, maximumInterval } = Context.current().info.retryPolicy ?? {};
  const first = msToNumber(initialInterval);
  const most = maximumInterval === undefined ? 100 * first : msToNumber(maximumInterval);
  const nextRetryDelay = failure.nextRetryDelay ?? Math.min(first * backoffCoefficient ** (failures - 1), most);
  return again(failure, { nextRetryDelay });
}

function again(
  { message, type, details, cause }: ApplicationFailure,
  more: ApplicationFailureOptions,
): ApplicationFailure {
  return ApplicationFailure.create({
    message,
    ...more,
    ...(type != null && { type }),
    ...(details != null && { details }),
    ...(cause !== undefined && { cause }),
  });
}
