/** Waits for the run of an agent that its parent has not started itself: it was there before the parent was reset. */

import { ApplicationFailure, Context, getClient } from '@temporalio/activity';
import { WorkflowFailedError } from '@temporalio/client';
import { messageOf, quoteId } from '../plan/text/index.ts';
import { isFailureType, isRecord, RunFailureError, type AgentReply, type AgentRequest } from '../protocol/index.ts';
import { inputIn, startOf } from '../protocol/executions.ts';
import { rootByServer } from './root-of-run.ts';

const ANSWER_MS = 15_000;

/** @throws RunFailureError where it works for another run, or has failed */
export async function awaitAgent({ workflowId, chain, ends }: AgentRequest): Promise<AgentReply> {
  const attempt = Context.current();
  const { cancellationSignal } = attempt;
  const client = getClient();
  const asked = <T>(call: () => Promise<T>) => client.connection.withDeadline(Date.now() + ANSWER_MS, call);
  const handle = client.workflow.getHandle(workflowId);
  const { runId, raw } = await asked(() => handle.describe());
  const root = await rootByServer({ workflowId, runId });
  if (root.chain !== chain) throw new RunFailureError('PlanFailed', otherRun(workflowId, chain, root.chain));
  if (ends !== true) {
    const first = { workflowId, runId: raw.workflowExecutionInfo?.firstRunId || runId };
    const input = await inputIn(client, await asked(() => startOf(client, client.options.namespace, first)));
    return isRecord(input) && typeof input['key'] === 'string' ? { key: input['key'] } : {};
  }
  // A worker that is shut down leaves the agent to the next attempt.
  const cancel = () => {
    if (attempt.cancellationDetails?.cancelRequested === true) void handle.cancel().catch(() => undefined);
  };
  cancellationSignal.addEventListener('abort', cancel, { once: true });
  try {
    return { result: (await handle.result()) as unknown as Readonly<Record<string, unknown>> };
  } catch (error) {
    cancellationSignal.throwIfAborted();
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    const type = cause instanceof ApplicationFailure && isFailureType(cause.type) ? cause.type : 'PlanFailed';
    throw new RunFailureError(type, messageOf(cause ?? error));
  } finally {
    cancellationSignal.removeEventListener('abort', cancel);
  }
}

function otherRun(workflowId: string, chain: string, other = 'unknown'): string {
  return (
    `the run of an agent ${quoteId(workflowId)} is there already, and works for the run ${other} and not for ${chain}; ` +
    'start this one under another workflow id'
  );
}
