/** The chain of a run, as whoever signs a message to it must name it, and what is signed so. */

import type { Client, WorkflowHandle } from '@temporalio/client';
import { rootAtServer } from '../../src/protocol/executions.ts';
import { signMessage } from '../../src/protocol/identity/index.ts';

export async function chainOf({ workflow }: Pick<Client, 'workflow'>, workflowId: string): Promise<string> {
  return (await rootAtServer(workflow, { workflowId })).firstRunId ?? '';
}

/** @param key a private one. @param over what the operator does not say by default */
export async function signedTo(
  { workflowId, client }: WorkflowHandle,
  key: string,
  message: object,
  over: Partial<Parameters<typeof signMessage>[0]> = {},
): Promise<string> {
  const firstRunId = await chainOf({ workflow: client }, workflowId);
  const said = message as Record<string, unknown>;
  return signMessage({ key, by: 'operator', workflowId, firstRunId, message: said, ...over });
}
