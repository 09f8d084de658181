/** Who carried a node out, in which attempt and when: what is under way of the server's pending work, else of its histories. */

import type { AttemptView, Begun, BegunView } from '../../client/index.ts';
import type { NodeView } from '../../contract/index.ts';
import { clockText } from '../../text/index.ts';
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

/** Looks nodes up in what the server told. */
export function workBy({ attempts, begun, revision }: ServerTold): (id: string) => Work {
  const now = new Map(attempts.map((one) => [one.id, ofAttempt(one)]));
  const ended = new Map(begun.nodes.flatMap((one) => (one.revision === revision ? [[one.id, ofBegun(one)]] : [])));
  return (id) => now.get(id) ?? ended.get(id) ?? {};
}

/** `begun 14:03:07Z, ended 14:03:09Z, by 4711@host in attempt 2`; `''` where nothing is known */
export function workText({ attempt = 1, worker, startedAt }: Work, { scheduledAt, endedAt }: NodeView): string {
  const from = startedAt ?? scheduledAt;
  const by = worker === undefined ? [] : [`by ${workerText(worker)}`];
  return [
    ...(from === undefined ? [] : [`${startedAt === undefined ? 'scheduled' : 'begun'} ${clockText(from)}`]),
    ...(endedAt === undefined ? [] : [`ended ${clockText(endedAt, from)}`]),
    [...by, ...(attempt > 1 ? [`in attempt ${attempt}`] : [])].join(' '),
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** What to say where histories are missing. */
export function missingText(missing: NonNullable<Begun['missing']>): string {
  return missing === 'gone'
    ? 'an earlier history of this run is gone from the server, which keeps what has ended for the retention of its namespace: who carried out what is in it is not known'
    : 'this run has more histories than were read: who carried out what is in the older ones is not told';
}

function ofAttempt({ attempt, state, worker, at, lastFailure }: AttemptView): Work {
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
