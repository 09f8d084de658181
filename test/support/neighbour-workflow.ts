/** A workflow of somebody else, which speaks to a run as any program does. */

import { getExternalWorkflowHandle } from '@temporalio/workflow';

export async function neighbour(workflowId: string, signal: string, message: object): Promise<void> {
  await getExternalWorkflowHandle(workflowId).signal(signal, message);
}
