/** The executions of a workflow id on the server. Not for workflows, which have no client. */

import type { Client, WorkflowClient } from '@temporalio/client';
import type { Payload, PayloadCodec } from '@temporalio/common';

/** Executions of an id that are looked at, the newest first. */
const LOOKED_AT = 1000;

type Reach = Pick<WorkflowClient, 'getHandle'>;
interface Execution {
  readonly workflowId: string;
  /** Absent: the newest of the id. */
  readonly runId?: string;
}

export interface Root {
  readonly workflowId: string;
  /** Absent if the server does not report it. */
  readonly chain?: string;
}

/** The run for which one works, an agent's for another; a run without a parent is its own root. */
export async function rootAtServer(client: Reach, { workflowId, runId }: Execution): Promise<Root> {
  const own = await described(client, workflowId, runId);
  const { workflowId: id, runId: first } = own?.raw.workflowExecutionInfo?.rootExecution ?? {};
  if (typeof id !== 'string' || id === workflowId) return rootAs(workflowId, own);
  // The execution that it was started in may be forgotten, and the run go on.
  return rootAs(id, (await described(client, id, first ?? undefined)) ?? (await described(client, id)));
}

function rootAs(workflowId: string, execution: Awaited<ReturnType<typeof described>>): Root {
  const chain = execution?.raw.workflowExecutionInfo?.firstRunId;
  return { workflowId, ...(chain != null && chain !== '' && { chain }) };
}

/**
 * The run id of the last execution of a run; undefined if the server has none. @param chain its last digits are enough
 */
export async function lastExecution(
  client: WorkflowClient,
  workflowId: string,
  chain: string,
): Promise<string | undefined> {
  const isIts = async (execution?: string): Promise<string | undefined> => {
    const found = await described(client, workflowId, execution);
    return found?.raw.workflowExecutionInfo?.firstRunId?.endsWith(chain) === true ? found.runId : undefined;
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

/** The first event of a history: how it was started. Reads no other, however long the history is. */
export async function startEvent(client: Client, namespace: string, execution: Execution) {
  const request = { namespace, execution, maximumPageSize: 1 };
  const { history } = await client.workflowService.getWorkflowExecutionHistory(request);
  return history?.events?.[0]?.workflowExecutionStartedEventAttributes;
}

/** What was encoded last is decoded first. @throws EncryptionError with the id of a key that is missing */
export async function decodePayloads(codecs: readonly PayloadCodec[], payloads: Payload[]): Promise<Payload[]> {
  let decoded = payloads;
  for (const codec of codecs.toReversed()) decoded = await codec.decode(decoded);
  return decoded;
}

/** The input, decoded. @throws EncryptionError with the id of a key that is missing */
export async function inputIn(client: Client, started: Awaited<ReturnType<typeof startEvent>>): Promise<unknown> {
  const { payloadCodecs, payloadConverter } = client.options.loadedDataConverter;
  const [input] = await decodePayloads(payloadCodecs, started?.input?.payloads ?? []);
  return input && payloadConverter.fromPayload(input);
}
