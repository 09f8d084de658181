/** Whether the server is still there: from a run, a server that is gone looks like a worker that does not answer. */

import type { Client } from '@temporalio/client';

/** A server that is there answers in milliseconds. */
const ALIVE_MS = 1500;

/** Within 1.5 s. */
export async function isServerThere({ connection, workflowService }: Client): Promise<boolean> {
  try {
    await connection.withDeadline(Date.now() + ALIVE_MS, () => workflowService.getSystemInfo({}));
    return true;
  } catch {
    return false;
  }
}
