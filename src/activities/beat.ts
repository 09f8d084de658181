/** The heartbeats of an attempt: it lives, its capability reports details, and the next attempt gets the counts. */

import { Context } from '@temporalio/activity';
import { isRecord } from '../protocol/index.ts';
import type { JsonValue } from '../plan/index.ts';

/** The heartbeat that an attempt leaves to the next. */
export interface Beat {
  /** The number of the attempt that tells it. */
  readonly attempt: number;
  /** When it began, in milliseconds since 1970 by the clock of its worker. */
  readonly startedAt: number;
  /** How often what is attempted has failed, by its own doing. */
  readonly failures: number;
  /** How often an attempt ended for another reason that is known: its worker was shut down. */
  readonly others: number;
  /** How often its worker was lost after an attempt had said that it is at work. */
  readonly lost?: number;
  /** Milliseconds that all attempts together were at work until it was told. */
  readonly workedMs?: number;
  /** It has ended, and that is counted. */
  readonly ended?: true;
  /** The details that the capability reported last. */
  readonly details?: JsonValue;
}

/** The most bytes that a capability may report, as JSON in UTF-8: they travel with every heartbeat. */
export const MAX_DETAILS_BYTES = 64 * 1024;

const kept = new WeakMap<Context, Beat>();

/** The heartbeat that the attempts before have left; undefined at the first, and where none of them was heard. */
export function lastBeat(): Beat | undefined {
  const { heartbeatDetails } = Context.current().info as { readonly heartbeatDetails: unknown };
  return isBeat(heartbeatDetails) ? heartbeatDetails : undefined;
}

/** Failures before this attempt, as it was told. */
export function failuresBefore(): number {
  return kept.get(Context.current())?.failures ?? 0;
}

/** What the attempts came to until now, for the run that begins the next one. */
export function triedSoFar(now = Date.now()): { readonly failures?: number; readonly workedMs?: number } {
  const beat = kept.get(Context.current());
  if (beat === undefined) return {};
  return { ...(beat.failures > 0 && { failures: beat.failures }), workedMs: workedUntil(beat, now) };
}

/** Tells it with the first heartbeat, and with every one from then on. */
export function keep(beat: Beat): void {
  kept.set(Context.current(), beat);
}

/** Tells it at once too. */
export function keepTelling(beat: Beat): void {
  keep(beat);
  heartbeat();
}

/** Forgets the workers that were lost: the attempt has outlived the time in which it was tried apart. */
export function forgetLost(): void {
  const beat = kept.get(Context.current());
  if (beat !== undefined) keepTelling({ ...beat, lost: 0 });
}

/** @param beat as it is kept: with the time of the attempts before */
export function workedUntil({ workedMs = 0, startedAt }: Beat, now = Date.now()): number {
  return workedMs + Math.max(0, now - startedAt);
}

/** Says that the attempt lives. */
export function heartbeat(attempt = Context.current()): void {
  const beat = kept.get(attempt);
  attempt.heartbeat(beat && { ...beat, workedMs: workedUntil(beat) });
}

/** @throws TypeError when it is no JSON, or more than 64 KiB of it */
export function report(details?: JsonValue): void {
  if (details === undefined) {
    heartbeat();
    return;
  }
  const text = JSON.stringify(details) as string | undefined;
  if (text === undefined || Buffer.byteLength(text) > MAX_DETAILS_BYTES) {
    throw new TypeError(`heartbeat: expected JSON of at most ${MAX_DETAILS_BYTES} bytes`);
  }
  const beat = kept.get(Context.current());
  if (beat !== undefined) keepTelling({ ...beat, details: JSON.parse(text) as JsonValue });
}

/** Anybody who may call the server's API can record a heartbeat for somebody else's attempt. */
function isBeat(value: unknown): value is Beat {
  if (!isRecord(value)) return false;
  const { attempt, startedAt, failures, others, lost = 0, workedMs = 0 } = value;
  return [attempt, startedAt, failures, others, lost, workedMs].every((one) => typeof one === 'number' && one >= 0);
}
