/** `temporal workflow reset` to the first workflow task, of an open or a closed run. */

import type { WorkflowHandle } from '@temporalio/client';
import type { Rig } from './rig.ts';

export async function resetRun({ connection, client }: Rig, run: WorkflowHandle): Promise<WorkflowHandle> {
  const { runId } = await run.describe();
  const again = await connection.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: run.workflowId, runId },
    reason: 'a test',
    requestId: `${runId}-reset`,
    // The end of the first workflow task; the service takes a number where its type wants a Long.
    workflowTaskFinishEventId: 4 as never,
  });
  return client.workflow.getHandle(run.workflowId, again.runId);
}
