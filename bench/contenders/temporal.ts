/** Temporal by hand: counters and callbacks, one activity a node (bench/twin), on the same kind of server. */

import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import { openClients, runWorkers, startServer, type Place } from '../server.ts';
import type { Shape } from '../shapes.ts';
import { twinNode } from '../twin/activities.ts';
import type { approvedWorkflow, emptyWorkflow, twinWorkflow } from '../twin/workflows.ts';
import { contend, each, versionIn } from './answer.mjs';
import { historyOf } from './history.ts';

/** The server ends a run whose history has more events; an activity takes three to six. */
const MOST_NODES = 51_200 / 6;
const taskQueue = 'twin';

await contend({
  async serve() {
    const { place, stop } = await startServer();
    const { client, close } = await openClients(place);
    return {
      place,
      kept: ({ run }) => completedIn(client, run),
      async stop() {
        await close();
        await stop();
      },
    };
  },

  async work(place: Place) {
    const connection = await NativeConnection.connect({ address: place.address });
    const { client, close } = await openClients(place);
    const worker = await Worker.create({
      connection,
      taskQueue,
      workflowsPath: fileURLToPath(new URL('../twin/workflows.ts', import.meta.url)),
      activities: { twinNode },
      maxConcurrentActivityTaskExecutions: 1000,
    });
    const stop = runWorkers(connection, [worker]);
    let runs = 0;
    const idOf = (run = `run-${process.pid}-${++runs}`) => run;

    const deeds = {
      async plan({ shape, run, facts }: { shape: Shape; run?: string; facts?: true }) {
        const { inputs, naps, bytes = 0, ledger } = shape;
        if (inputs.length > MOST_NODES) {
          return { cannot: 'one history holds 51,200 events, and the hand-written workflow has no second one' };
        }
        if (bytes > 0) return { cannot: 'a payload has 2 MB at most, and the union of two results more' };
        const workflowId = idOf(run);
        const from = performance.now();
        const given = { revision: 'r'.repeat(43), inputs, naps, ...(ledger !== undefined && { ledger }) };
        await client.workflow.execute<typeof twinWorkflow>('twinWorkflow', { taskQueue, workflowId, args: [given] });
        const went = { ms: performance.now() - from, ran: inputs.length, records: 0 };
        return facts === undefined ? went : { ...went, facts: await historyOf(client, workflowId) };
      },
      async empty() {
        const from = performance.now();
        await client.workflow.execute<typeof emptyWorkflow>('emptyWorkflow', { taskQueue, workflowId: idOf() });
        return { ms: performance.now() - from };
      },
      async resume({ run }: { run: string }) {
        const from = performance.now();
        await client.workflow.getHandle(run).result();
        return { ms: performance.now() - from };
      },
      async approvals({ runs: count }: { runs: number }) {
        const opened = performance.now();
        const ids = Array.from({ length: count }, () => idOf());
        const handles = ids.map((id) => client.workflow.getHandle<typeof approvedWorkflow>(id));
        await each(count, async (at) => {
          const workflowId = ids[at]!;
          await client.workflow.start<typeof approvedWorkflow>('approvedWorkflow', { taskQueue, workflowId });
          while (!(await handles[at]!.query<boolean>('isWaiting')));
        });
        const from = performance.now();
        await each(count, (at) => handles[at]!.signal('approve'));
        await Promise.all(handles.map((handle) => handle.result()));
        return { ms: performance.now() - from, facts: { openMs: Math.round(from - opened) } };
      },
    };
    return {
      ready: {
        name: 'Temporal by hand',
        version: versionIn(new URL('../../node_modules/@temporalio/worker/package.json', import.meta.url)),
        label: 'an activity a node, Temporal dev server on SQLite',
      },
      deeds,
      async close() {
        await stop();
        await close();
      },
    };
  },
});

/** Activities that the history has as completed, by the number of their node. */
async function completedIn(client: Client, workflowId: string): Promise<number[]> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const nodes = new Map<string, number>();
  const kept: number[] = [];
  for (const { eventId, activityTaskScheduledEventAttributes, activityTaskCompletedEventAttributes } of events ?? []) {
    const id = activityTaskScheduledEventAttributes?.activityId;
    if (id != null) nodes.set(String(eventId), Number(id.slice('node_'.length)) - 1);
    const completed = activityTaskCompletedEventAttributes?.scheduledEventId;
    if (completed != null) kept.push(nodes.get(String(completed)) ?? -1);
  }
  return kept;
}
