/** The work on a node as text: worker, attempt, heartbeat, next attempt. */

import { nodeLabel } from '../../plan/outline/index.ts';
import { durationText, oneLine, tickText } from '../../plan/text/index.ts';
import type { AttemptView, Begun, NodeWork, SeenNode } from '../../protocol/index.ts';

/**
 * `attempt 2, heartbeat overdue in 3 s`, `attempt 3 in 4 s (no route)`, `waits for a worker`; and the worker.
 * Compares the server's times with this machine's clock.
 */
export function attemptNow(one: AttemptView, now: number): { readonly says: string; readonly by?: string } {
  const { attempt, state, worker, lastFailure, waitsForRun } = one;
  if (state === 'waits for a worker') {
    return { says: `${waitOf(one, now)}${lastFailure === undefined ? '' : ` (${oneLine(lastFailure)})`}` };
  }
  const tells = [
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(state === 'is carried out' ? [] : [state]),
    ...(waitsForRun === undefined ? [] : [`waits for run ${waitsForRun}`]),
    ...(state === 'is paused' ? [] : pulseText(one, now)),
  ];
  return { says: tells.join(', '), ...(worker !== undefined && { by: `by ${workerText(worker)}` }) };
}

/** Its worker may be lost, or an attempt ended without a result. */
export function isInTrouble(one: AttemptView, now: number): boolean {
  return one.state === 'waits for a worker' ? one.attempt > 1 : isSilent(one, now);
}

/** Process and host of a worker, without its fingerprint.  `4711@host planwright/0a1b2c3d` is `4711@host` */
export function workerText(identity: string): string {
  return oneLine(identity).split(' planwright/')[0] ?? '';
}

function waitOf({ attempt, nextAt }: AttemptView, now: number): string {
  const left = nextAt === undefined ? 0 : Date.parse(nextAt) - now;
  if (left > 0) return `attempt ${attempt} in ${tickText(left + ALMOST_MS)}`;
  return attempt > 1 ? `attempt ${attempt} waits for a worker` : 'waits for a worker';
}

/** A countdown rounds up. */
const ALMOST_MS = 999;

function pulseText(one: AttemptView, now: number): readonly string[] {
  const { heardAt, overdueAt } = one;
  if (heardAt === undefined) return [];
  if (overdueAt === undefined || !isSilent(one, now)) return [`heartbeat ${tickText(now - Date.parse(heardAt))} ago`];
  const left = Date.parse(overdueAt) - now;
  if (left > 0) return [`heartbeat overdue in ${tickText(left + ALMOST_MS)}`];
  return [`heartbeat overdue since ${tickText(-left)}: goes to another worker`];
}

/** Half of the heartbeat timeout has passed. */
function isSilent({ heardAt, overdueAt }: AttemptView, now: number): boolean {
  if (heardAt === undefined || overdueAt === undefined) return false;
  const [heard, overdue] = [Date.parse(heardAt), Date.parse(overdueAt)];
  return now - heard > (overdue - heard) / 2;
}

/** `4711@host in attempt 2`; undefined without a worker */
export function byText({ attempt = 1, worker }: NodeWork): string | undefined {
  if (worker === undefined) return undefined;
  return `${workerText(worker)}${attempt > 1 ? ` in attempt ${attempt}` : ''}`;
}

/** `node_1 position was begun by 4711@host in attempt 2 (worker lost) and succeeded after 4.0 s`; needs a worker */
export function attemptHistoryText(node: SeenNode): string {
  const { attempt = 1, worker = '', startedAt, before, status, endedAt } = node;
  const tries = attempt === 1 ? '' : ` in attempt ${attempt}${before === undefined ? '' : ` (${oneLine(before)})`}`;
  const ended =
    endedAt && ` and ${status} after ${durationText(Date.parse(endedAt) - Date.parse(startedAt ?? endedAt))}`;
  return `${nodeLabel(node)} was begun by ${workerText(worker)}${tries}${ended ?? ''}`;
}

export function missingText(missing: NonNullable<Begun['missing']>): string {
  return missing === 'gone'
    ? 'an earlier history of this run is gone from the server, which keeps what has ended for the retention of its namespace: who carried out what is in it is not known'
    : 'this run has more histories than were read: who carried out what is in the older ones is not told';
}
