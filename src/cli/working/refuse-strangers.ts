/** Keeps a worker from a task queue on which another project works: each would carry out plans of the other. */

import type { ConnectedClient } from '../../client/index.ts';
import type { CapabilityRegistry } from '../../capabilities/builtin/index.ts';
import type { Output } from '../terminal/index.ts';
import { fingerprintOf, readWorkerIdentity, type Trust } from '../../worker/index.ts';
import { OperationError } from '../../operations/index.ts';
import { pollersOf } from '../../client/reach/index.ts';

/**
 * Asks the server who works on the queue. A worker that says no fingerprint is no reason to refuse, nor is a server that
 * does not tell within 5 s, which is noted; nor is a worker of another build, whose work the server keeps apart.
 * @param build of this worker, `NAME:BUILD`
 * @throws OperationError `TASK_QUEUE_IN_USE` when a worker with other capabilities, keys or approval rules polls it.
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

/** Whether it has another fingerprint: a project whose capabilities were changed starts again at once. */
function isStranger(identity: string, fingerprint: string): boolean {
  const other = readWorkerIdentity(identity);
  return other !== undefined && other.fingerprint !== fingerprint;
}
