/** Reads from the histories of a run which workers executed its nodes, and in how many attempts. */

import type { WorkflowHandle } from '@temporalio/client';
import { ClientError } from './client-error.ts';
import { endingText, isoOf, msOf, nodesOfActivity, type ActivityNodes } from './attempts.ts';
import { type ExecutedNodes, type ExecutedNode, type ViewOptions } from '../protocol/index.ts';

/** Default maximum of histories to read. Each may have tens of thousands of events. */
const HISTORIES = 20;

type History = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

/**
 * The nodes of one history that a worker has finished or given up, each with its last activity.
 * @example begunIn(await handle.fetchHistory());
 */
export function attemptsInHistory({ events }: History): readonly ExecutedNode[] {
  const activities = new Map<string, ActivityNodes>();
  const begun = new Map<string, ExecutedNode>();
  for (const event of events ?? []) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    if (scheduled != null) activities.set(String(event.eventId), nodesOfActivity(scheduled));
    const started = event.activityTaskStartedEventAttributes;
    if (started == null) continue;
    const { revision = 1, ids = [] } = activities.get(String(started.scheduledEventId)) ?? {};
    const { attempt, identity, lastFailure } = started;
    const before = lastFailure == null ? '' : endingText(lastFailure);
    const how = { attempt: attempt ?? 1, worker: identity ?? '', startedAt: isoOf(msOf(event.eventTime)) };
    for (const id of ids) begun.set(`${revision} ${id}`, { id, revision, ...how, ...(before !== '' && { before }) });
  }
  return [...begun.values()];
}

/**
 * Reads the histories of a run, newest first, until enough nodes are found. Each history names the previous one.
 * @param historyOf reads the history of a run id; without an id, the newest history
 */
export async function readAttemptHistory(
  historyOf: (runId?: string) => Promise<History>,
  { histories = HISTORIES, until = () => false }: Pick<ViewOptions, 'histories' | 'until'> = {},
): Promise<ExecutedNodes> {
  const found = new Map<string, ExecutedNode>();
  let runId: string | undefined;
  for (let read = 0; ; read += 1) {
    const isEnough = read > 0 && (runId === undefined || until([...found.values()]));
    if (isEnough) return { nodes: inOrder(found) };
    if (read >= histories) return { nodes: inOrder(found), missing: 'unread' };
    const history = read === 0 ? await historyOf() : await earlier(() => historyOf(runId));
    if (history === undefined) return { nodes: inOrder(found), missing: 'gone' };
    for (const one of attemptsInHistory(history)) {
      const key = `${one.revision} ${one.id}`;
      if (!found.has(key)) found.set(key, one);
    }
    const before = history.events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
    runId = before == null || before === '' ? undefined : before;
  }
}

function inOrder(found: ReadonlyMap<string, ExecutedNode>): readonly ExecutedNode[] {
  return [...found.values()].toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : a.startedAt > b.startedAt ? 1 : 0));
}

async function earlier(read: () => Promise<History>): Promise<History | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ClientError && error.code === 'no-run') return undefined;
    throw error;
  }
}
