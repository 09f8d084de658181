/** The facts that the Temporal server knows of a run. They are read from its history, which needs no worker. */

import type { WorkflowHandle } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';

export interface RunFacts {
  /** By node id: the records or characters of the result of every node that the server has recorded as completed. */
  readonly completed: ReadonlyMap<string, number>;
  /** No worker is at work on the workflow itself, nor is asked to be. */
  readonly isQuiet: boolean;
}

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

export function factsOf({ events }: History): RunFacts {
  const activities = new Map<string, string>();
  const completed = new Map<string, number>();
  for (const event of events ?? []) {
    const { activityTaskScheduledEventAttributes: scheduled, activityTaskCompletedEventAttributes: done } = event;
    if (scheduled?.activityId) activities.set(String(event.eventId), scheduled.activityId);
    const node = done ? activities.get(String(done.scheduledEventId)) : undefined;
    const payload = done?.result?.payloads?.[0];
    if (node?.startsWith('node_') && payload)
      completed.set(node, countOf(defaultPayloadConverter.fromPayload(payload)));
  }
  const last = events?.at(-1);
  const isQuiet = !last?.workflowTaskScheduledEventAttributes && !last?.workflowTaskStartedEventAttributes;
  return { completed, isQuiet };
}

function countOf(handle: unknown): number {
  return typeof handle === 'object' && handle !== null && 'count' in handle ? Number(handle.count) : 0;
}
