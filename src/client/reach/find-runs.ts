/** The running runs that may wait for somebody. */

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { AGENT_WORKFLOW, PLAN_WORKFLOW, WAITS_FOR_ATTRIBUTE } from '../../protocol/index.ts';
import { ClientError, toClientError, type ClientAddress } from '../client-error.ts';

export type FoundRun = Pick<WorkflowExecutionInfo, 'workflowId' | 'taskQueue'>;

/**
 * A question costs the run's worker a workflow task.
 * @bound [approving] runs that the inbox asks
 * @beyond `notAsked` tells how many it did not
 */
const MAX_RUNS = 1000;
const FIND_MS = 10_000;
/**
 * A value that every visibility store finds. A server on SQLite (1.29) does not answer when it is asked for one with a
 * double quote, and misses one with a backslash.
 */
const PLAIN = /^[\p{L}\p{N} ._@-]+$/u;
/** INDEXED_VALUE_TYPE_KEYWORD_LIST of the Temporal API. */
const KEYWORD_LIST = 7;

const ANY = 'StartTime IS NOT NULL';
/** Runs that go on, as the server's query language has them. */
const RUNNING = `WorkflowType = '${PLAN_WORKFLOW}' AND ExecutionStatus = 'Running'`;

/**
 * Runs that go on, and agents, as the server lists them.
 * @param also more of the server's query language
 */
export function listRunning(client: Client, also = ANY): AsyncIterable<WorkflowExecutionInfo> {
  const types = `WorkflowType IN ('${PLAN_WORKFLOW}', '${AGENT_WORKFLOW}')`;
  return client.workflow.list({ query: `${types} AND ExecutionStatus = 'Running' AND ${also}` });
}

/** For the server's query language; a queue whose name it may misread is not narrowed, so the caller checks as well. */
export function ofQueue(taskQueue: string, is: '=' | '!=' = '='): string {
  return PLAIN.test(taskQueue) ? `TaskQueue ${is} '${taskQueue}'` : ANY;
}

/**
 * Runs that failed after this time. Agents are left out: their parents go on or fail as well.
 * @param also more of the server's query language
 */
export function listFailed(client: Client, after: Date, also = ANY): AsyncIterable<WorkflowExecutionInfo> {
  const failed = `ExecutionStatus IN ('Failed', 'TimedOut') AND CloseTime > '${after.toISOString()}' AND ${also}`;
  return client.workflow.list({ query: `WorkflowType = '${PLAN_WORKFLOW}' AND ${failed}` });
}

/** The run that is asked for what a listed one waits for: that of an agent is told by its parent. */
export function askedRun({ type, workflowId, parentExecution }: WorkflowExecutionInfo): string {
  return (type === AGENT_WORKFLOW && parentExecution?.workflowId) || workflowId;
}

/**
 * The runs that name the role in the search attribute come first, if it is registered. A run without the attribute is
 * asked as well: it waits for nobody, or it was started before the attribute was there. The parent of an agent may name
 * other roles, or none.
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
          // Some may have begun or ended meanwhile; one more was seen.
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

/** A server may keep this question to its administrators; then every run is asked. */
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
