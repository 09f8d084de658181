/** Temporal by hand: counters and callbacks, one activity a node (bench/twin), on the same kind of server. */

import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import type { Shape } from '../contender.ts';
import { withServer } from '../server.ts';
import { twinNode } from '../twin/activities.ts';
import type { twinWorkflow } from '../twin/workflows.ts';
import { answer } from './answer.mjs';

await withServer(
  ({ client }) => {
    let run = 0;
    return answer(
      { name: 'Temporal by hand', label: 'an activity a node, Temporal dev server on SQLite' },
      async ({ inputs, naps }: Shape) => {
        const workflowId = `run-${++run}`;
        const from = performance.now();
        await client.workflow.execute<typeof twinWorkflow>('twinWorkflow', {
          taskQueue: 'twin',
          workflowId,
          args: [{ revision: 'r'.repeat(43), inputs, naps }],
        });
        return { ms: performance.now() - from, ran: inputs.length };
      },
    );
  },
  async (connection) => [
    await Worker.create({
      connection,
      taskQueue: 'twin',
      workflowsPath: fileURLToPath(new URL('../twin/workflows.ts', import.meta.url)),
      activities: { twinNode },
      maxConcurrentActivityTaskExecutions: 1000,
    }),
  ],
);
