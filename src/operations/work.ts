/** The worker that carried a node out, in which attempt and when: of the server's pending work what is under way, of its histories the rest. */

import type { AttemptView, Begun, BegunView, RunHandle } from '../edge/client/index.ts';
import type { NodeView } from '../wire/contract/index.ts';

/** The worker that has a node, or had it last. Times are ISO 8601. */
export interface Work {
  readonly attempt?: number;
  readonly worker?: string;
  /** When that attempt began. */
  readonly startedAt?: string;
  /** Why the attempt before it ended. */
  readonly before?: string;
}

/** The server's account of the work of a run. */
export interface ServerTold {
  readonly attempts: readonly AttemptView[];
  readonly begun: Begun;
  /** That of the open plan; work for another one is not told. */
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

/** A node's work while it is under way. */
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
