import { connectClient, type ConnectedClient } from '../../client/index.ts';
import { checkNamespace } from '../../config/project/index.ts';
import { DEFAULT_TASK_QUEUE } from '../../protocol/index.ts';
import { asTyped } from '../typed-command.ts';
import { toOperationError } from '../../operations/index.ts';
import { buildCheck, type DoctorCheck } from './build-check.ts';
import { pollersOf, type Poller } from '../../client/reach/index.ts';

/** Runs the checks of the server. Ends early if the next one would fail for the same reason. */
export async function* examineServer(taskQueue = DEFAULT_TASK_QUEUE): AsyncGenerator<DoctorCheck> {
  let connected: ConnectedClient;
  try {
    connected = await connectClient();
  } catch (error) {
    yield { check: 'server', state: 'fail', message: toOperationError(error, asTyped).message };
    return;
  }
  try {
    yield { check: 'server', state: 'ok', message: `Temporal answers at ${connected.address}` };
    const namespace = await namespaceCheck(connected);
    yield namespace;
    if (namespace.state === 'fail') return;
    yield await workerCheck(connected, taskQueue);
    const builds = await buildCheck(connected, taskQueue);
    if (builds !== undefined) yield builds;
  } finally {
    await connected.close();
  }
}

async function namespaceCheck(connected: ConnectedClient): Promise<DoctorCheck> {
  try {
    await checkNamespace(connected);
    return { check: 'namespace', state: 'ok', message: `namespace ${connected.namespace} is there` };
  } catch (error) {
    return { check: 'namespace', state: 'fail', message: toOperationError(error, asTyped).message };
  }
}

/** Finds the workers that polled recently, since the server lists a dead one for minutes. */
async function workerCheck(connected: ConnectedClient, taskQueue: string): Promise<DoctorCheck> {
  const start = `start one with \`${asTyped(`worker --task-queue ${taskQueue}`)}\`; runs wait until one is there`;
  try {
    const pollers = await pollersOf(connected, taskQueue, 'workflow');
    const there = pollers.filter(({ isThere }) => isThere);
    const message = there.length > 0 ? `${there.length} on task queue ${taskQueue}: ${inWords(there)}` : undefined;
    if (message !== undefined) return { check: 'worker', state: 'ok', message };
    const gone = pollers.length === 0 ? '' : ` any more (${inWords(pollers)})`;
    return { check: 'worker', state: 'warn', message: `no worker on task queue ${taskQueue}${gone}; ${start}` };
  } catch (error) {
    const message = `the server does not say who works on task queue ${taskQueue}: ${(error as Error).message}; ${start}`;
    return { check: 'worker', state: 'warn', message };
  }
}

function inWords(pollers: readonly Poller[]): string {
  return pollers
    .map(
      ({ identity, ago, build }) =>
        `${identity}${build === undefined ? '' : ` (${build})`}, asked ${Math.round(ago / 1000)} s ago`,
    )
    .join('; ');
}
