/** What `planwright doctor` finds on the Temporal server. */

import { connectClient, type ConnectedClient } from '../../../client/index.ts';
import { DYNAMIC_CONFIG } from '../../../dev-server/index.ts';
import { checkNamespace } from '../../../project/index.ts';
import { DEFAULT_TASK_QUEUE } from '../../../contract/index.ts';
import { toCliError } from '../../cli-error.ts';
import type { Check } from './check.ts';
import { measureHop } from './measure-hop.ts';

export interface ServerQuestions {
  readonly taskQueue: string | undefined;
  /** Whether a small run may be made. */
  readonly run: boolean;
}

/** A server without the setting takes about 100 ms for a node of a chain, one with it 10 to 30 ms. */
const SLOW_HOP_MS = 60;
const DEADLINE_MS = 5000;
/** `TASK_QUEUE_TYPE_WORKFLOW` of the API, whose enums no package of the SDK gives us. */
const WORKFLOW_TASKS = 1;

/** Ends early where the next check would only fail for the same reason. */
export async function* examineServer({ taskQueue = DEFAULT_TASK_QUEUE, run }: ServerQuestions): AsyncGenerator<Check> {
  let connected: ConnectedClient;
  try {
    connected = await connectClient();
  } catch (error) {
    yield { check: 'server', state: 'fail', message: toCliError(error).message };
    return;
  }
  try {
    yield { check: 'server', state: 'ok', message: `Temporal answers at ${connected.address}` };
    const namespace = await namespaceCheck(connected);
    yield namespace;
    if (namespace.state === 'fail') return;
    yield await workerCheck(connected, taskQueue);
    if (run) yield await hopCheck(connected);
  } finally {
    await connected.close();
  }
}

async function namespaceCheck(connected: ConnectedClient): Promise<Check> {
  try {
    await checkNamespace(connected);
    return { check: 'namespace', state: 'ok', message: `namespace ${connected.namespace} is there` };
  } catch (error) {
    return { check: 'namespace', state: 'fail', message: toCliError(error).message };
  }
}

/** The server remembers who asked for work in the last minutes; a worker that just died is still among them. */
async function workerCheck({ client, namespace }: ConnectedClient, taskQueue: string): Promise<Check> {
  const start = `start one with \`planwright worker --task-queue ${taskQueue}\`; runs wait until one is there`;
  try {
    const { pollers } = await client.connection.withDeadline(Date.now() + DEADLINE_MS, () =>
      client.workflowService.describeTaskQueue({
        namespace,
        taskQueue: { name: taskQueue },
        // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
        taskQueueType: WORKFLOW_TASKS,
      }),
    );
    const count = pollers?.length ?? 0;
    if (count === 0)
      return { check: 'worker', state: 'warn', message: `no worker on task queue ${taskQueue}; ${start}` };
    const names = (pollers ?? []).map(({ identity }) => identity ?? '').join(', ');
    return { check: 'worker', state: 'ok', message: `${count} on task queue ${taskQueue}: ${names}` };
  } catch (error) {
    const message = `the server does not say who works on task queue ${taskQueue}: ${(error as Error).message}; ${start}`;
    return { check: 'worker', state: 'warn', message };
  }
}

async function hopCheck({ address, namespace, client }: ConnectedClient): Promise<Check> {
  try {
    const ms = await measureHop(client, address, namespace);
    const took = `one node after the other takes ${Math.round(ms)} ms`;
    if (ms <= SLOW_HOP_MS) return { check: 'hop', state: 'ok', message: took };
    const setting = Object.entries(DYNAMIC_CONFIG).map(([key, value]) => `${key}=${value}`);
    const message = `${took}; without other load it takes less than ${SLOW_HOP_MS} where the dynamic config of the server has ${setting.join(' and ')}`;
    return { check: 'hop', state: 'warn', message };
  } catch (error) {
    return { check: 'hop', state: 'fail', message: `a small run did not work: ${toCliError(error).message}` };
  }
}
