/** The chain of a run, as whoever signs a message to it must name it. */

import type { Client } from '@temporalio/client';
import { rootAtServer } from '../../src/protocol/index.ts';

export async function chainOf({ workflow }: Pick<Client, 'workflow'>, workflowId: string): Promise<string> {
  const root = await rootAtServer(
    { workflowId },
    async (id, runId) => (await workflow.getHandle(id, runId).describe()).raw.workflowExecutionInfo,
  );
  return root.chain ?? '';
}
