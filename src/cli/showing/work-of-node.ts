/** Who carried a node out, in which attempt and when: what is under way of the server's pending work, else of its histories. */

import type { AttemptView, Begun, BegunView, RunHandle } from '../../edge/client/index.ts';
import type { NodeView } from '../../wire/contract/index.ts';
import { placeName } from '../../language/outline/index.ts';
import { clockText, durationText, oneLine } from '../../language/text/index.ts';
import { workerText } from './attempt-now.ts';

/** Who has a node, or had it last. Times are ISO 8601. */
export interface Work {
  readonly attempt?: number;
  readonly worker?: string;
  /** When that attempt began. */
  readonly startedAt?: string;
  /** Why the attempt before it ended. */
  readonly before?: string;
}

/** What the server tells of the work of a run. */
export interface ServerTold {
  readonly attempts: readonly AttemptView[];
  readonly begun: Begun;
  /** Of the open plan; what was begun for another one is not told. */
  readonly revision: number | undefined;
}

/**
 * Asks the server for no more than these nodes need, and reads no further back than they go.
 *
 * @param histories as of `RunHandle.begun`
 */
export async function readWork(
  run: Pick<RunHandle, 'attempts' | 'begun'>,
  nodes: readonly NodeView[],
  revision: number | undefined,
  histories?: number,
): Promise<ServerTold> {
  const ended = nodes.filter(hasEnded).map(({ id }) => id);
  const until = (found: readonly BegunView[]) => {
    const known = new Set(found.flatMap((one) => (one.revision === revision ? [one.id] : [])));
    return ended.every((id) => known.has(id));
  };
  const [attempts, begun] = await Promise.all([
    nodes.some(({ status }) => status === 'running') ? run.attempts() : [],
    ended.length > 0 ? run.begun({ until, ...(histories !== undefined && { histories }) }) : { nodes: [] },
  ]);
  return { attempts, begun, revision };
}

/** By a worker, for the plan that is open: what was taken over from another plan was begun for that, an agent is a run of its own. */
function hasEnded({ status, scheduledAt, endedAt, executor }: NodeView): boolean {
  const isOwn = status !== 'reused' && !executor.startsWith('agent ');
  return isOwn && scheduledAt !== undefined && (endedAt !== undefined || status === 'waiting');
}

/** Looks nodes up in what the server told. */
export function workBy({ attempts, begun, revision }: ServerTold): (id: string) => Work {
  const now = new Map(attempts.map((one) => [one.id, ofAttempt(one)]));
  const ended = new Map(begun.nodes.flatMap((one) => (one.revision === revision ? [[one.id, ofBegun(one)]] : [])));
  return (id) => now.get(id) ?? ended.get(id) ?? {};
}

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

/** What is known of a node's work while it is under way. */
export function ofAttempt({ attempt, state, worker, at, lastFailure }: AttemptView): Work {
  const isBegun = state !== 'waits for a worker';
  return {
    attempt,
    ...(worker !== undefined && isBegun && { worker }),
    ...(at !== undefined && isBegun && { startedAt: at }),
    ...(lastFailure !== undefined && { before: lastFailure }),
  };
}

function ofBegun({ attempt, worker, startedAt, before }: BegunView): Work {
  return { attempt, worker, startedAt, ...(before !== undefined && { before }) };
}
