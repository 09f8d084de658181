/** `temporal workflow delete`: the server knows this execution no longer, as after the retention of its namespace. */

import type { WorkflowHandle } from '@temporalio/client';
import { expect } from 'vitest';
import type { Rig } from './rig.ts';

/** @param run a handle of one execution, or of the newest of its id */
export async function forgetRun({ connection, client }: Rig, run: WorkflowHandle): Promise<void> {
  const { workflowId } = run;
  const { runId } = await run.describe();
  const workflowExecution = { workflowId, runId };
  await connection.workflowService.deleteWorkflowExecution({ namespace: 'default', workflowExecution });
  const isThere = () =>
    client.workflow
      .getHandle(workflowId, runId)
      .describe()
      .then(
        () => true,
        () => false,
      );
  await expect.poll(isThere).toBe(false);
}
