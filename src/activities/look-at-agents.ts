/** Checks which agents' runs are open, and reads the results of ended ones. */

import { ApplicationFailure, Context, getClient } from '@temporalio/activity';
import { CancelledFailure, TerminatedFailure, TimeoutFailure } from '@temporalio/common';
import { WorkflowFailedError, WorkflowNotFoundError, type WorkflowHandle } from '@temporalio/client';
import { cutCharacters, messageOf, quoteId } from '../plan/text/index.ts';
import { isFailureType, isRecord, RunFailureError, type LookReply, type LookRequest } from '../protocol/index.ts';
import { inputIn, lastExecution, startEvent } from '../protocol/executions.ts';
import { rootByServer } from './begin-effect.ts';

const ANSWER_MS = 15_000;
const CLOSED = ['COMPLETED', 'FAILED', 'CANCELLED', 'TERMINATED', 'TIMED_OUT'];
const MAX_MESSAGE = 20_000;

type Seen = LookReply['agents'][number];

/** Checks agents' runs. @throws RunFailureError if an agent's workflow belongs to another run */
export async function lookAtAgents({ firstRunId, agents, retried }: LookRequest): Promise<LookReply> {
  const { connection } = getClient();
  const bounded = <T>(ask: () => Promise<T>) => connection.withDeadline(Date.now() + ANSWER_MS, ask);
  const seen = await Promise.all(agents.map((agent) => bounded(() => lookAt(firstRunId, agent))));
  return { agents: seen, ...(retried === true && { retried: await bounded(retriedHere) }) };
}

async function retriedHere(): Promise<readonly string[]> {
  const { workflowId = '', runId } = Context.current().info.workflowExecution ?? {};
  const { pendingActivities } = (await getClient().workflow.getHandle(workflowId, runId).describe()).raw;
  return (pendingActivities ?? []).flatMap(({ activityId, attempt }) => ((attempt ?? 0) > 1 ? [activityId ?? ''] : []));
}

async function lookAt(firstRunId: string, { workflowId, first }: LookRequest['agents'][number]): Promise<Seen> {
  const { workflow } = getClient();
  try {
    // A reset creates another execution, and anyone may start another run under the id.
    // So this looks up the last execution.
    const last = first === undefined ? undefined : await lastExecution(workflow, workflowId, first);
    if (first !== undefined && last === undefined) return { workflowId, first, end: GONE };
    const { runId, status, raw } = await workflow.getHandle(workflowId, last).describe();
    const known = first ?? (raw.workflowExecutionInfo?.firstRunId || runId);
    const key = first === undefined ? await keyOf(firstRunId, workflowId, runId, known) : undefined;
    const seen: Seen = { workflowId, first: known, ...(key !== undefined && { key }) };
    if (!CLOSED.includes(status.name)) return seen;
    return { ...seen, ...(await endOf(workflow.getHandle(workflowId, runId, { followRuns: false }))) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError && first !== undefined) return { workflowId, first, end: GONE };
    throw error;
  }
}

const GONE = {
  status: 'failed',
  type: 'PlanFailed',
  message: "the server does not know the agent's run any more: it was deleted",
} as const;

async function keyOf(
  firstRunId: string,
  workflowId: string,
  runId: string,
  first: string,
): Promise<string | undefined> {
  const client = getClient();
  const root = await rootByServer({ workflowId, runId });
  if (root.firstRunId !== firstRunId)
    throw new RunFailureError('PlanFailed', otherRun(workflowId, firstRunId, root.firstRunId));
  const input = await inputIn(client, await startEvent(client, client.options.namespace, { workflowId, runId: first }));
  return isRecord(input) && typeof input['key'] === 'string' ? input['key'] : undefined;
}

async function endOf(handle: WorkflowHandle): Promise<Pick<Seen, 'result' | 'end'>> {
  try {
    const result: unknown = await handle.result();
    return isRecord(result) ? { result } : { end: failed('PlanFailed', "the agent's run has ended without a result") };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    if (cause instanceof CancelledFailure) return { end: { ...failed('Cancelled', 'cancelled'), status: 'cancelled' } };
    if (cause instanceof TerminatedFailure) return { end: failed('RETRIABLE', `the agent's run was terminated`) };
    if (cause instanceof TimeoutFailure)
      return { end: failed('Timeout.START_TO_CLOSE', "the agent's run took longer than its execution may") };
    const type = cause instanceof ApplicationFailure && isFailureType(cause.type) ? cause.type : 'PlanFailed';
    return { end: failed(type, messageOf(cause ?? error)) };
  }
}

function failed(type: string, message: string) {
  return { status: 'failed', type, message: cutCharacters(message, MAX_MESSAGE) } as const;
}

function otherRun(workflowId: string, firstRunId: string, other = 'unknown'): string {
  return (
    `the run of an agent ${quoteId(workflowId)} is there already, and works for the run ${other} and not for ${firstRunId}; ` +
    'start this one under another workflow id'
  );
}
