/** Finds runs that need a person but have no inbox item: they failed, or no worker continues them. */

import type { ConnectedClient } from '../../client/index.ts';
import { listFailed, listRunning, ofQueue, silenceOf } from '../../client/reach/index.ts';
import { AGENT_WORKFLOW, unattendedText } from '../../protocol/index.ts';
import type { Notifier } from './notifier.ts';

const LOOK_MS = 30_000;
/** Time in ms without a worker until somebody is notified. A release of new workers takes less. */
const UNSERVED_MS = 60_000;
/** Maximum age in ms of a failed run in a notice. Older failures are not news when a worker starts. */
const FAILED_MS = 86_400_000;
const LIST_MS = 10_000;
const MAX_RUNS = 1000;
const MAX_QUEUES = 20;

interface Watched {
  readonly connected: Pick<ConnectedClient, 'client' | 'namespace'>;
  readonly taskQueue: string;
  readonly notifier: Pick<Notifier, 'run'>;
  /** For tests. */
  readonly times?: { readonly lookMs: number; readonly unservedMs: number };
}

interface Unserved {
  readonly since: number;
  readonly text: string;
  /** The task queue without a worker; absent if the queue has workers, but none can continue the run. */
  readonly queue?: string;
}

interface Failed {
  readonly workflowId: string;
  readonly runId: string;
  readonly text: string;
  readonly forMs: number;
}

const STUCK =
  'a worker is there and cannot continue the run: its workflow task fails again and again, or the store does not answer';

export function createRunNotices({ connected, taskQueue, notifier, times }: Watched) {
  const { client, namespace } = connected;
  const { lookMs, unservedMs } = times ?? { lookMs: LOOK_MS, unservedMs: UNSERVED_MS };
  const unserved = new Map<string, Unserved>();
  const firstRunIds = new Map<string, string>();
  let lookedAt = -Infinity;
  let turn = 0;

  /** The run, with the id of its first execution, which the server's list lacks. */
  async function runOf(workflowId: string, runId?: string) {
    const name = runId ?? workflowId;
    let firstRunId = firstRunIds.get(name);
    if (firstRunId === undefined) {
      const { raw, runId: described } = await client.workflow.getHandle(workflowId, runId).describe();
      firstRunId = raw.workflowExecutionInfo?.firstRunId || described;
      firstRunIds.set(name, firstRunId);
    }
    return { workflowId, firstRunId };
  }

  function notServed(workflowId: string, text: string, queue?: string): void {
    if (unserved.has(workflowId)) return;
    unserved.set(workflowId, { since: performance.now(), text, ...(queue !== undefined && { queue }) });
  }

  /** The result of a search; undefined if the search fails, so that the other one continues. */
  function within<Found>(work: () => Promise<Found>): Promise<Found | undefined> {
    return client.connection.withDeadline(Date.now() + LIST_MS, work).catch(() => undefined);
  }

  async function findFailed(now: number): Promise<readonly Failed[]> {
    const found: Failed[] = [];
    for await (const { workflowId, runId, status, closeTime, ...info } of listFailed(
      client,
      new Date(now - FAILED_MS),
      ofQueue(taskQueue),
    )) {
      if (info.taskQueue !== taskQueue) continue;
      const text = status.name === 'TIMED_OUT' ? 'the run timed out' : 'the run failed';
      found.push({ workflowId, runId, text, forMs: now - (closeTime?.getTime() ?? now) });
      if (found.length === MAX_RUNS) break;
    }
    return found;
  }

  /** Finds runs on other task queues without workers. This worker serves its own queue. */
  async function findUnserved(): Promise<void> {
    const queues = new Map<string, string[]>();
    let count = 0;
    for await (const { workflowId, type, taskQueue: queue } of listRunning(client, ofQueue(taskQueue, '!='))) {
      if (queue === taskQueue || type === AGENT_WORKFLOW) continue;
      queues.set(queue, [...(queues.get(queue) ?? []), workflowId]);
      if ((count += 1) === MAX_RUNS) break;
    }
    const found = new Set<string>();
    const all = [...queues].toSorted(([a], [b]) => (a < b ? -1 : 1));
    if (turn >= all.length) turn = 0;
    const asked = [...all.slice(turn), ...all.slice(0, turn)].slice(0, MAX_QUEUES);
    turn += MAX_QUEUES;
    const notAsked = new Set(queues.keys());
    for (const [queue, runs] of asked) {
      const silence = await silenceOf({ client, namespace }, queue).catch(() => undefined);
      if (silence === undefined) continue;
      notAsked.delete(queue);
      if (silence.nobody === undefined) continue;
      for (const id of runs) {
        found.add(id);
        notServed(id, unattendedText({ taskQueue: queue }), queue);
      }
    }
    for (const [id, { queue }] of unserved)
      if (queue !== undefined && !notAsked.has(queue) && !found.has(id)) unserved.delete(id);
  }

  return {
    stuck: (workflowId: string) => notServed(workflowId, STUCK),
    continues: (workflowId: string) => void unserved.delete(workflowId),
    /** Removes runs of this worker's queue that do not wait any more, such as a terminated run. */
    keepStuck(waiting: ReadonlySet<string>): void {
      for (const [id, { queue }] of unserved) if (queue === undefined && !waiting.has(id)) unserved.delete(id);
    },
    /** Sends the notices that are due. @returns the first run ids of the runs that have notices */
    async look(): Promise<readonly string[]> {
      if (performance.now() - lookedAt < lookMs) return [...firstRunIds.values()];
      lookedAt = performance.now();
      await within(findUnserved);
      const failed = (await within(() => findFailed(Date.now()))) ?? [];
      const notices = failed.map(async ({ workflowId, runId, text, forMs }) => {
        const run = await runOf(workflowId, runId);
        notifier.run(run, { kind: 'run-failed', text, key: runId }, forMs).catch(() => undefined);
      });
      for (const [id, { since, text, queue }] of unserved) {
        const forMs = performance.now() - since;
        if (forMs < unservedMs) continue;
        const day = new Date(Date.now() - forMs).toISOString().slice(0, 10);
        const notice = {
          kind: 'no-worker',
          text,
          key: `${queue === undefined ? 'stuck' : 'unserved'} ${day}`,
        } as const;
        const isStill = () => unserved.get(id)?.since === since;
        notices.push(runOf(id).then((run) => void notifier.run(run, notice, forMs, isStill).catch(() => undefined)));
      }
      await Promise.allSettled(notices);
      const names = new Set([...unserved.keys(), ...failed.map(({ runId }) => runId)]);
      for (const name of firstRunIds.keys()) if (!names.has(name)) firstRunIds.delete(name);
      return [...firstRunIds.values()];
    },
  };
}
