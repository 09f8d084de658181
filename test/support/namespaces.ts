/** Namespaces of their own, for tests that look at everything in one. */

import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, type Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';

/** Registers one and waits until every part of the server knows it. */
export async function openNamespace(connection: Connection): Promise<string> {
  const namespace = `test-${randomUUID()}`;
  const workflowExecutionRetentionPeriod = msToTs('1 day');
  await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod });
  const client = new Client({ connection, namespace });
  const started = async () => {
    const handle = await client.workflow.start('nothing', { taskQueue: 'nobody', workflowId: randomUUID() });
    await handle.terminate();
    await client.workflow.count();
  };
  for (;;) {
    const isKnown = await started().then(
      () => true,
      (error: unknown) => {
        if (
          /not found/i.test(String((error as Error).cause ?? error)) ||
          (error as Error).name === 'NamespaceNotFoundError'
        )
          return false;
        throw error;
      },
    );
    if (isKnown) return namespace;
    await pause(100);
  }
}
