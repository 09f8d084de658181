/** Measures how long a server takes from node to node, with a worker, a store and a task queue of its own. */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { z } from 'zod';
import { createRegistry } from '../../capabilities/builtin/index.ts';
import { defineCapability } from '../../capabilities/index.ts';
import { createPlanClient } from '../../client/index.ts';
import { plan, type TreeNode } from '../../plan/index.ts';
import { createFileStore } from '../../store/index.ts';
import { connectWorker, installRuntime } from '../../config/own-worker/index.ts';
import { createWorker } from '../../worker/index.ts';
import { startWait } from '../wait.ts';

/** A server that limits how often it looks for work lets the first twenty or so looks pass at once. */
const NODES = 40;
const MEASURED = 20;
const LIMIT = { ms: 30_000, typed: '30s' };

const nothing = defineCapability({
  name: 'nothing',
  description: 'Does nothing.',
  input: z.object({}),
  output: 'text',
  effect: 'read',
  execute: () => '',
});

/**
 * Milliseconds from the start of one node to the start of the next, by the clock of the server: the median of the
 * second half of a chain of forty tasks that do nothing. Leaves one closed run behind.
 */
export async function measureHop(client: Client, address: string, namespace: string): Promise<number> {
  const taskQueue = `planwright-doctor-${randomBytes(6).toString('hex')}`;
  const folder = await mkdtemp(join(tmpdir(), 'planwright-doctor-'));
  installRuntime('ERROR');
  const { connection } = await connectWorker({ address });
  const wait = startWait(LIMIT, 'the server is very slow, or no worker of this machine reaches it');
  try {
    const store = createFileStore(folder);
    const registry = createRegistry([nothing], { defaultExecutor: nothing.name });
    const worker = await createWorker({ connection, namespace, taskQueue, registry, store });
    const plans = createPlanClient({ client, address, namespace, store, taskQueue, catalogue: registry });
    await worker.runUntil(async () => {
      const started = await plans.start(chain(), { workflowId: taskQueue, options: { approval: 'effects' } });
      if (!started.ok) throw new Error('the plan of the doctor does not compile');
      await started.run.end(wait.signal);
    });
    return await medianHop(client, taskQueue);
  } finally {
    wait.end();
    await connection.close();
    await rm(folder, { recursive: true, force: true });
  }
}

function chain(): object {
  let node: TreeNode = plan.task('Do nothing 1');
  for (let at = 2; at <= NODES; at++) node = plan.task(`Do nothing ${at}`, { input: node });
  return plan.document('Show how fast the server is', node);
}

async function medianHop(client: Client, workflowId: string): Promise<number> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const starts = (events ?? []).filter(
    ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityId?.startsWith('node_') === true,
  );
  const times = starts.map(({ eventTime }) => Number(eventTime?.seconds ?? 0) * 1000 + (eventTime?.nanos ?? 0) / 1e6);
  if (times.length !== NODES) throw new Error(`it started ${times.length} of ${NODES} nodes`);
  const hops = times.slice(1).map((time, at) => time - times[at]!);
  return hops.slice(-MEASURED).sort((one, other) => one - other)[MEASURED / 2]!;
}
