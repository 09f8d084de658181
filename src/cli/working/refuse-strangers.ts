/** Keeps a worker off a task queue of another project: each would run the other's plans. */

import type { ConnectedClient } from '../../client/index.ts';
import type { CapabilityRegistry } from '../../capabilities/builtin/index.ts';
import type { Output } from '../terminal/index.ts';
import { fingerprintOf, readWorkerIdentity, type Trust } from '../../worker/index.ts';
import { OperationError } from '../../operations/index.ts';
import { pollersOf } from '../../client/reach/index.ts';

/**
 * Asks the server who polls the queue. Accepts workers without a fingerprint, workers of another build, whose tasks
 * the server separates, and a server that does not answer within 5 s, with a note.
 * @param build `NAME:BUILD` of this worker
 * @throws OperationError `TASK_QUEUE_IN_USE` if a worker with other capabilities, keys or approval rules polls it
 */
export async function refuseStrangers(
  connected: ConnectedClient,
  { registry, ...trust }: { readonly registry: CapabilityRegistry } & Trust,
  taskQueue: string,
  { note }: Pick<Output, 'note'>,
  build?: string,
): Promise<void> {
  let identities: readonly string[];
  try {
    const pollers = await pollersOf(connected, taskQueue, 'activity');
    const beside = pollers.filter((poller) => poller.isThere && poller.build === build);
    identities = beside.map((poller) => poller.identity);
  } catch (error) {
    note(
      `the server does not say who works on task queue ${taskQueue} (${(error as Error).message}); ` +
        'whether another project does was not checked',
    );
    return;
  }
  const own = fingerprintOf(registry, trust);
  const stranger = identities.find((one) => isStranger(one, own));
  if (stranger === undefined) return;
  throw new OperationError(
    'TASK_QUEUE_IN_USE',
    `worker ${stranger} with other capabilities, keys or rules than this project's (planwright/${own}) polls task queue ${taskQueue}, ` +
      'and each of the two would be given plans of the other. Give this project a taskQueue of its own in ' +
      'planwright.config.ts (a demo: --task-queue NAME, for run as well); or start with --force where that worker is ' +
      'another version of this project, soon to be stopped',
    { taskQueue, worker: stranger },
  );
}

/** A project whose capabilities changed may restart at once on this host. */
function isStranger(identity: string, fingerprint: string): boolean {
  const theirs = readWorkerIdentity(identity);
  return theirs !== undefined && theirs.fingerprint !== fingerprint;
}
