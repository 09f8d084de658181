/** An attempt at this very moment: whether its worker is heard of, and when the next one begins. */

import type { AttemptView } from '../../edge/client/index.ts';
import { oneLine, tickText } from '../../language/text/index.ts';

/** What is said of it, and who has it. Times are those of the server's clock beside that of this machine. */
export interface AttemptNow {
  readonly says: string;
  readonly by?: string;
}

/** `attempt 2, heartbeat overdue in 3 s`, `attempt 3 in 4 s (no route)`, `waits for a worker` */
export function attemptNow(one: AttemptView, now: number): AttemptNow {
  const { attempt, state, worker, lastFailure } = one;
  if (state === 'waits for a worker') {
    return { says: `${waitOf(one, now)}${lastFailure === undefined ? '' : ` (${oneLine(lastFailure)})`}` };
  }
  const tells = [
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(state === 'is carried out' ? [] : [state]),
    ...(state === 'is paused' ? [] : pulseText(one, now)),
  ];
  return { says: tells.join(', '), ...(worker !== undefined && { by: `by ${workerText(worker)}` }) };
}

/** Its worker was last heard of so long ago that it may be lost, or an attempt has ended without a result. */
export function isInTrouble(one: AttemptView, now: number): boolean {
  return one.state === 'waits for a worker' ? one.attempt > 1 : isSilent(one, now);
}

/**
 * The process and the host of a worker, without the fingerprint of its capabilities.
 *
 * `4711@host planwright/0a1b2c3d` is `4711@host`
 */
export function workerText(identity: string): string {
  return oneLine(identity).split(' planwright/')[0] ?? '';
}

function waitOf({ attempt, nextAt }: AttemptView, now: number): string {
  const left = nextAt === undefined ? 0 : Date.parse(nextAt) - now;
  if (left > 0) return `attempt ${attempt} in ${tickText(left + ALMOST_MS)}`;
  return attempt > 1 ? `attempt ${attempt} waits for a worker` : 'waits for a worker';
}

/** A countdown says how many seconds are left, begun ones too. */
const ALMOST_MS = 999;

function pulseText(one: AttemptView, now: number): readonly string[] {
  const { heardAt, overdueAt, isLast } = one;
  if (heardAt === undefined) return [];
  if (overdueAt === undefined || !isSilent(one, now)) return [`heartbeat ${tickText(now - Date.parse(heardAt))} ago`];
  const left = Date.parse(overdueAt) - now;
  if (left > 0) return [`heartbeat overdue in ${tickText(left + ALMOST_MS)}`];
  return [`heartbeat overdue since ${tickText(-left)}: ${isLast === true ? 'given up' : 'goes to another worker'}`];
}

/** Half of the time is over in which it must be heard of. */
function isSilent({ heardAt, overdueAt }: AttemptView, now: number): boolean {
  if (heardAt === undefined || overdueAt === undefined) return false;
  const [heard, overdue] = [Date.parse(heardAt), Date.parse(overdueAt)];
  return now - heard > (overdue - heard) / 2;
}
