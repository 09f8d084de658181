/** Who carried nodes out, and in how many attempts, as the server's history of the run has it. */

import type { WorkflowHandle } from '@temporalio/client';

/** How a node's activity went: one that has begun at a worker. */
export interface BegunView {
  /** The node's id in the plan that it was started for. */
  readonly id: string;
  /** The revision of the plan that it was started for. */
  readonly revision: number;
  /** The last attempt. Counts from 1. */
  readonly attempt: number;
  /** Who had that attempt. */
  readonly worker: string;
  /** When that attempt began; ISO 8601. */
  readonly startedAt: string;
  /** Why the attempt before it ended; `worker lost` where nothing was heard of its worker any more. */
  readonly before?: string;
}

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/** `r2.node_3` is node_3 of the second revision. */
const NODE = /^(?:r(\d+)\.)?(node_\d+)$/;
const LOST = 'worker lost';

/**
 * The nodes of a history that a worker has finished or given up, the latest activity of each. What is under way now is not in
 * a history; `attempts()` of a run tells it.
 *
 * @example begunIn(await handle.fetchHistory());
 */
export function begunIn({ events }: History): readonly BegunView[] {
  const activities = new Map<string, string>();
  const begun = new Map<string, BegunView>();
  for (const event of events ?? []) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled?.activityId != null) activities.set(String(event.eventId), scheduled.activityId);
    const started = event.activityTaskStartedEventAttributes;
    if (started == null) continue;
    const activityId = activities.get(String(started.scheduledEventId)) ?? '';
    const [, revision = '1', id] = NODE.exec(activityId) ?? [];
    if (id === undefined) continue;
    const { attempt, identity, lastFailure } = started;
    const before = lastFailure?.timeoutFailureInfo == null ? lastFailure?.message : LOST;
    begun.set(activityId, {
      id,
      revision: Number(revision),
      attempt: attempt ?? 1,
      worker: identity ?? '',
      startedAt: isoOf(event.eventTime),
      ...(before != null && before !== '' && { before }),
    });
  }
  return [...begun.values()];
}

function isoOf(time: { seconds?: unknown; nanos?: number | null } | null | undefined): string {
  return new Date(Number(time?.seconds ?? 0) * 1000 + Math.floor((time?.nanos ?? 0) / 1e6)).toISOString();
}
