/** The size of a workflow's history, over all histories of its chain. */

import type { Client } from '@temporalio/client';

export async function historyOf(
  client: Client,
  workflowId: string,
): Promise<{ events: number; historyBytes: number; histories: number }> {
  let [events, historyBytes, histories] = [0, 0, 0];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = "${workflowId}"` })) {
    const { historyLength, historySize = 0 } = await client.workflow.getHandle(workflowId, runId).describe();
    [events, historyBytes, histories] = [events + historyLength, historyBytes + historySize, histories + 1];
  }
  return { events, historyBytes, histories };
}
