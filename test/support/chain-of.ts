/** The chain of a run, as whoever signs a message to it must name it. */

import type { Client } from '@temporalio/client';
import { rootAtServer } from '../../src/protocol/executions.ts';

export async function chainOf({ workflow }: Pick<Client, 'workflow'>, workflowId: string): Promise<string> {
  return (await rootAtServer(workflow, { workflowId })).chain ?? '';
}
