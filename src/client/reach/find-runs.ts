/** Finds the running runs that may wait for a person. */

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { AGENT_WORKFLOW, PLAN_WORKFLOW, WAITS_FOR_ATTRIBUTE } from '../../protocol/index.ts';
import { ClientError, toClientError, type ClientAddress } from '../client-error.ts';
import { RawValue } from '@temporalio/common';
import { OPEN } from '../../protocol/encryption/index.ts';

export type FoundRun = Pick<WorkflowExecutionInfo, 'workflowId' | 'taskQueue'>;

/**
 * Each query costs the run's worker a workflow task, so their number is limited.
 * @bound [approving] runs that the inbox asks @beyond `notAsked` counts the other runs
 */
const MAX_RUNS = 1000;
const FIND_MS = 10_000;
/** Matches names that every server can search. SQLite servers (1.29) fail with double quotes and backslashes. */
const PLAIN = /^[\p{L}\p{N} ._@-]+$/u;
/** INDEXED_VALUE_TYPE_KEYWORD_LIST of the Temporal API. */
const KEYWORD_LIST = 7;

const ANY = 'StartTime IS NOT NULL';
const RUNNING = `WorkflowType = '${PLAN_WORKFLOW}' AND ExecutionStatus = 'Running'`;

/** Lists running runs. @param also a further condition in the server's query language */
export function listRunning(client: Client, also = ANY): AsyncIterable<WorkflowExecutionInfo> {
  const types = `WorkflowType IN ('${PLAN_WORKFLOW}', '${AGENT_WORKFLOW}')`;
  return client.workflow.list({ query: `${types} AND ExecutionStatus = 'Running' AND ${also}` });
}

/** A search condition for a task queue. If the server could misread the name, it finds all: check the runs too. */
export function ofQueue(taskQueue: string, is: '=' | '!=' = '='): string {
  return PLAIN.test(taskQueue) ? `TaskQueue ${is} '${taskQueue}'` : ANY;
}

/** Lists the runs that failed after this time, without agents. @param also a further condition for the server */
export function listFailed(client: Client, after: Date, also = ANY): AsyncIterable<WorkflowExecutionInfo> {
  const failed = `ExecutionStatus IN ('Failed', 'TimedOut') AND CloseTime > '${after.toISOString()}' AND ${also}`;
  return client.workflow.list({ query: `WorkflowType = '${PLAN_WORKFLOW}' AND ${failed}` });
}

/** The workflow id to query for a listed run: for an agent's run, the id of its parent. */
export function askedRun({ type, workflowId, parentExecution }: WorkflowExecutionInfo): string {
  return (type === AGENT_WORKFLOW && parentExecution?.workflowId) || workflowId;
}

/**
 * Finds the runs to query: runs that wait for the role, then runs that may have started before the attribute was
 * registered.
 */
export async function findRuns(client: Client, place: ClientAddress, role: string | undefined) {
  const isNarrow = (role === undefined || PLAIN.test(role)) && (await hasAttribute(client, place.namespace));
  const named = `${WAITS_FOR_ATTRIBUTE} ${role === undefined ? 'IS NOT NULL' : `IN ('${role}', 'anyone')`}`;
  const others = isNarrow ? `${RUNNING} AND ${WAITS_FOR_ATTRIBUTE} IS NULL` : RUNNING;
  try {
    return await client.connection.withDeadline(Date.now() + FIND_MS, async () => {
      const found = new Map<string, FoundRun>();
      const asked = isNarrow ? [`${RUNNING} AND ${named}`, others] : [others];
      for (const list of [...(isNarrow ? [listRunning(client, named)] : []), client.workflow.list({ query: others })]) {
        for await (const info of list) {
          const workflowId = askedRun(info);
          if (found.size < MAX_RUNS || found.has(workflowId)) {
            found.set(workflowId, { workflowId, taskQueue: info.taskQueue });
            continue;
          }
          const counts = await Promise.all(asked.map((query) => client.workflow.count(query)));
          const total = counts.reduce((sum, { count }) => sum + count, 0);
          // The count may be wrong, since runs start and end meanwhile, but at least one run was not queried.
          return { runs: [...found.values()], notAsked: Math.max(1, total - MAX_RUNS) };
        }
      }
      return { runs: [...found.values()], notAsked: 0 };
    });
  } catch (error) {
    const known = toClientError(error, place);
    if (!(known instanceof ClientError) || known.code !== 'no-worker') throw known;
    throw new ClientError('no-server', `the server at ${place.address} did not list its runs in time`, {
      cause: error,
    });
  }
}

/** Whether the search attribute is registered. If the server does not say, false, so that every run is queried. */
async function hasAttribute({ connection }: Client, namespace: string): Promise<boolean> {
  try {
    const { customAttributes } = await connection.withDeadline(Date.now() + FIND_MS, () =>
      connection.operatorService.listSearchAttributes({ namespace }),
    );
    return Number(customAttributes?.[WAITS_FOR_ATTRIBUTE]) === KEYWORD_LIST;
  } catch {
    return false;
  }
}

/** Makes a text that is never encrypted, for clients without the key. @param word must not be secret */
export function openWord(word: string): RawValue {
  const metadata = { encoding: Buffer.from('json/plain'), [OPEN]: Buffer.from('true') };
  return RawValue.fromPayload({ metadata, data: Buffer.from(JSON.stringify(word)) });
}
