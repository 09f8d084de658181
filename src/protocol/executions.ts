/** Finds the executions of a workflow id on the server. Workflows cannot use it, since they have no client. */

import type { Client, WorkflowClient } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';

/** Maximum number of executions of one workflow id that are examined, newest first. */
const LOOKED_AT = 1000;

type Reach = Pick<WorkflowClient, 'getHandle'>;
interface Execution {
  readonly workflowId: string;
  readonly runId?: string;
}

export interface Root {
  readonly workflowId: string;
  /** The run id of the first execution; absent if the server does not report it. */
  readonly firstRunId?: string;
}

/** The topmost run above an agent's run. A run without a parent is its own root. */
export async function rootAtServer(client: Reach, { workflowId, runId }: Execution): Promise<Root> {
  const own = await described(client, workflowId, runId);
  const { workflowId: id, runId: first } = own?.raw.workflowExecutionInfo?.rootExecution ?? {};
  if (typeof id !== 'string' || id === workflowId) return rootAs(workflowId, own);
  // The server may have deleted the root's execution that started this run, although a later execution continues.
  return rootAs(id, (await described(client, id, first ?? undefined)) ?? (await described(client, id)));
}

function rootAs(workflowId: string, execution: Awaited<ReturnType<typeof described>>): Root {
  const firstRunId = execution?.raw.workflowExecutionInfo?.firstRunId;
  return { workflowId, ...(firstRunId != null && firstRunId !== '' && { firstRunId }) };
}

/**
 * The run id of a run's last execution; undefined if the server has none.
 * @param firstRunId run id of the first execution, or its last digits
 */
export async function lastExecution(
  client: WorkflowClient,
  workflowId: string,
  firstRunId: string,
): Promise<string | undefined> {
  const isIts = async (execution?: string): Promise<string | undefined> => {
    const found = await described(client, workflowId, execution);
    return found?.raw.workflowExecutionInfo?.firstRunId?.endsWith(firstRunId) === true ? found.runId : undefined;
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

async function described(client: Reach, workflowId: string, runId?: string) {
  try {
    return await client.getHandle(workflowId, runId).describe();
  } catch (error) {
    if ((error as Error).name === 'WorkflowNotFoundError') return undefined;
    throw error;
  }
}

/** The first event of a history, which contains the run's input. Does not read the rest of a long history. */
export async function startEvent(client: Client, namespace: string, execution: Execution) {
  const request = { namespace, execution, maximumPageSize: 1 };
  const { history } = await client.workflowService.getWorkflowExecutionHistory(request);
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes;
}

/** Decodes payloads, with the codecs in the reverse order of encoding. @throws EncryptionError if a key is missing */
export async function decodePayloads(codecs: readonly PayloadCodec[], payloads: Payload[]): Promise<Payload[]> {
  let decoded = payloads;
  for (const codec of codecs.toReversed()) decoded = await codec.decode(decoded);
  return decoded;
}

/** Decodes the input of a run. @throws EncryptionError with the id of a missing key */
export async function inputIn(client: Client, started: Awaited<ReturnType<typeof startEvent>>): Promise<unknown> {
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  const [input] = await decodePayloads(payloadCodecs, started?.input?.payloads ?? []);
  return input && payloadConverter.fromPayload(input);
}
