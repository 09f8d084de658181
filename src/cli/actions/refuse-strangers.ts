/** Keeps a worker from a task queue on which another project works: each would carry out plans of the other. */

import { hostname } from 'node:os';
import type { ConnectedClient } from '../../client/index.ts';
import type { Project } from '../../project/index.ts';
import type { Output } from '../../terminal/index.ts';
import { fingerprintOf, readWorkerIdentity } from '../../worker/index.ts';
import { CliError } from '../cli-error.ts';

/** The server holds a poll for a minute at most, so whoever works has asked within it. */
const SEEN_WITHIN_MS = 60_000;
const ASK_MS = 5000;
/** `TASK_QUEUE_TYPE_ACTIVITY` of the API, whose enums no package of the SDK gives us. */
const ACTIVITY_TASKS = 2;

/**
 * Asks the server who works on the queue. A worker that says no fingerprint is no reason to refuse, nor is a server that
 * does not tell within 5 s, which is noted.
 * @throws CliError `TASK_QUEUE_IN_USE` when a worker with other capabilities polls it.
 */
export async function refuseStrangers(
  connected: ConnectedClient,
  { registry }: Pick<Project, 'registry'>,
  taskQueue: string,
  { note }: Pick<Output, 'note'>,
): Promise<void> {
  let identities: readonly string[];
  try {
    identities = await pollersOf(connected, taskQueue);
  } catch (error) {
    note(
      `the server does not say who works on task queue ${taskQueue} (${(error as Error).message}); ` +
        'whether another project does was not checked',
    );
    return;
  }
  const own = fingerprintOf(registry);
  const stranger = identities.find((identity) => isStranger(identity, own));
  if (stranger === undefined) return;
  throw new CliError(
    'TASK_QUEUE_IN_USE',
    `worker ${stranger} with other capabilities than this project's (planwright/${own}) polls task queue ${taskQueue}, ` +
      'and each of the two would be given plans of the other. Give this project a taskQueue of its own in ' +
      'planwright.config.ts (a demo: --task-queue NAME, for run as well); or start with --force where that worker is ' +
      'another version of this project, soon to be stopped',
    { taskQueue, worker: stranger },
  );
}

/** The clock is ours, the times are the server's: where they differ much, a worker is missed, or one is named that has gone. */
async function pollersOf({ client, namespace }: ConnectedClient, taskQueue: string): Promise<readonly string[]> {
  const { pollers } = await client.connection.withDeadline(Date.now() + ASK_MS, () =>
    client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
      taskQueueType: ACTIVITY_TASKS,
    }),
  );
  const since = Date.now() - SEEN_WITHIN_MS;
  return (pollers ?? [])
    .filter(({ lastAccessTime }) => (lastAccessTime?.seconds?.toNumber() ?? Infinity) * 1000 >= since)
    .map(({ identity }) => identity ?? '');
}

/** Whether that worker has another fingerprint and may still be at work. */
function isStranger(identity: string, fingerprint: string): boolean {
  const other = readWorkerIdentity(identity);
  return other !== undefined && other.fingerprint !== fingerprint && !hasEnded(other);
}

/** Only of a process of this host it can be told: a project whose capabilities were changed starts again at once. */
function hasEnded({ pid, host }: { readonly pid?: number; readonly host?: string }): boolean {
  if (pid === undefined || host !== hostname()) return false;
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
