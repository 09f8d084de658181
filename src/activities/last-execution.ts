/** The executions of one workflow id that make one run. */

import { WorkflowNotFoundError, type WorkflowClient, type WorkflowHandle } from '@temporalio/client';

/** Executions of an id that are looked at, the newest first. */
const LOOKED_AT = 1000;

/** The last execution of a run; undefined where the server knows none. @param chain its last digits suffice */
export async function lastExecution(
  client: WorkflowClient,
  workflowId: string,
  chain: string,
): Promise<WorkflowHandle | undefined> {
  const isIts = async (handle: WorkflowHandle) => {
    const described = await handle.describe().catch((error: unknown) => {
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    });
    return described?.raw.workflowExecutionInfo?.firstRunId?.endsWith(chain) === true;
  };
  const newest = client.getHandle(workflowId);
  if (await isIts(newest)) return newest;
  let looked = 0;
  for await (const { runId } of client.list({ query: `WorkflowId = '${workflowId.replaceAll("'", "''")}'` })) {
    const handle = client.getHandle(workflowId, runId);
    if (await isIts(handle)) return handle;
    if (++looked === LOOKED_AT) break;
  }
  return undefined;
}
