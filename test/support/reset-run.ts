/** `temporal workflow reset` to the first workflow task, of an open or a closed run, or of one of its histories. */

import type { WorkflowHandle } from '@temporalio/client';
import { eventually } from './eventually.ts';
import type { Rig } from './rig.ts';

export async function resetRun(
  { connection, client }: Pick<Rig, 'connection' | 'client'>,
  run: WorkflowHandle,
): Promise<WorkflowHandle> {
  const firstTask = async () => {
    const { runId } = await run.describe();
    const { events } = await client.workflow.getHandle(run.workflowId, runId).fetchHistory();
    const end = events?.find((event) => event.workflowTaskCompletedEventAttributes != null)?.eventId;
    return end == null ? undefined : { runId, end };
  };
  // A run that has just continued as new has ended no workflow task yet.
  const { runId, end } = await eventually(firstTask);
  const again = await connection.workflowService.resetWorkflowExecution({
    namespace: 'default',
    workflowExecution: { workflowId: run.workflowId, runId },
    reason: 'a test',
    requestId: `${runId}-reset`,
    workflowTaskFinishEventId: end,
  });
  return client.workflow.getHandle(run.workflowId, again.runId);
}
