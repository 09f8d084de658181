/** Who carried a node out, in which attempt and when: what is under way of the server's pending work, else of its histories. */

import type { Begun } from '../../edge/client/index.ts';
import type { NodeView } from '../../wire/contract/index.ts';
import { placeName } from '../../language/outline/index.ts';
import { clockText, durationText, oneLine } from '../../language/text/index.ts';
import type { Work } from '../../operations/index.ts';
import { workerText } from './attempt-now.ts';

/** `begun 14:03:07Z, ended 14:03:09Z, by 4711@host in attempt 2`; `''` where nothing is known */
export function workText(work: Work, { scheduledAt, endedAt }: NodeView): string {
  const now = new Date().toISOString();
  const { startedAt } = work;
  const from = startedAt ?? scheduledAt;
  const by = byText(work);
  return [
    ...(from === undefined ? [] : [`${startedAt === undefined ? 'scheduled' : 'begun'} ${clockText(from, now)}`]),
    ...(endedAt === undefined ? [] : [`ended ${clockText(endedAt, from)}`]),
    ...(by === undefined ? [] : [`by ${by}`]),
  ].join(', ');
}

/** `4711@host in attempt 2`; undefined where no worker is known */
export function byText({ attempt = 1, worker }: Work): string | undefined {
  if (worker === undefined) return undefined;
  return `${workerText(worker)}${attempt > 1 ? ` in attempt ${attempt}` : ''}`;
}

/** `node_1 position was begun by 4711@host in attempt 2 (worker lost) and succeeded after 4.0 s`; of one that a worker has had */
export function begunText({ attempt = 1, worker = '', startedAt, before }: Work, node: NodeView): string {
  const { status, endedAt } = node;
  const tries = attempt === 1 ? '' : ` in attempt ${attempt}${before === undefined ? '' : ` (${oneLine(before)})`}`;
  const took = endedAt === undefined ? Number.NaN : Date.parse(endedAt) - Date.parse(startedAt ?? endedAt);
  const ended = Number.isNaN(took) ? '' : ` and ${status} after ${durationText(took)}`;
  return `${placeName(node)} was begun by ${workerText(worker)}${tries}${ended}`;
}

/** What to say where histories are missing. */
export function missingText(missing: NonNullable<Begun['missing']>): string {
  return missing === 'gone'
    ? 'an earlier history of this run is gone from the server, which keeps what has ended for the retention of its namespace: who carried out what is in it is not known'
    : 'this run has more histories than were read: who carried out what is in the older ones is not told';
}
