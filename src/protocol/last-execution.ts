/** The executions of one workflow id that make one run. Not for workflows, which have no client. */

import type { WorkflowClient } from '@temporalio/client';

/** Executions of an id that are looked at, the newest first. */
const LOOKED_AT = 1000;

/** The run id of the last execution of a run; undefined where the server knows none. @param chain its last digits suffice */
export async function lastExecution(
  client: WorkflowClient,
  workflowId: string,
  chain: string,
): Promise<string | undefined> {
  const isIts = async (runId?: string): Promise<string | undefined> => {
    try {
      const { raw, runId: found } = await client.getHandle(workflowId, runId).describe();
      return raw.workflowExecutionInfo?.firstRunId?.endsWith(chain) === true ? found : undefined;
    } catch (error) {
      if ((error as Error).name === 'WorkflowNotFoundError') return undefined;
      throw error;
    }
  };
  const newest = await isIts();
  if (newest !== undefined) return newest;
  let looked = 0;
  for await (const { runId } of client.list({ query: `WorkflowId = '${workflowId.replaceAll("'", "''")}'` })) {
    const found = await isIts(runId);
    if (found !== undefined) return found;
    if (++looked === LOOKED_AT) break;
  }
  return undefined;
}
