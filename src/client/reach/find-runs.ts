/** The running runs that may wait for somebody. */

import type { Client } from '@temporalio/client';
import { AGENT_WORKFLOW, PLAN_WORKFLOW, WAITS_FOR_ATTRIBUTE } from '../../protocol/index.ts';
import { ClientError, toClientError, type Place } from '../client-error.ts';

export interface FoundRun {
  readonly workflowId: string;
  readonly taskQueue: string;
}

/** A question costs the run's worker a workflow task. */
const MAX_RUNS = 1000;
const FIND_MS = 10_000;
/**
 * A value that every visibility store finds. A server on SQLite (1.29) does not answer when it is asked for one with a
 * double quote, and misses one with a backslash.
 */
const PLAIN = /^[\p{L}\p{N} ._@-]+$/u;
/** INDEXED_VALUE_TYPE_KEYWORD_LIST of the Temporal API. */
const KEYWORD_LIST = 7;

/**
 * The runs that name the role in the search attribute come first, if it is registered. A run without the attribute is
 * asked as well: it waits for nobody, or it was started before the attribute was there. An agent's wait is told by its
 * parent, which may name other roles, or none.
 */
export async function findRuns(client: Client, place: Place, role: string | undefined) {
  const running = `WorkflowType = '${PLAN_WORKFLOW}' AND ExecutionStatus = 'Running'`;
  const named = role === undefined ? 'IS NOT NULL' : `IN ('${role}', 'anyone')`;
  const narrow = (role === undefined || PLAIN.test(role)) && (await hasAttribute(client, place.namespace));
  const queries = narrow
    ? [
        `${running} AND ${WAITS_FOR_ATTRIBUTE} ${named}`,
        `WorkflowType = '${AGENT_WORKFLOW}' AND ExecutionStatus = 'Running' AND ${WAITS_FOR_ATTRIBUTE} ${named}`,
        `${running} AND ${WAITS_FOR_ATTRIBUTE} IS NULL`,
      ]
    : [running];
  try {
    return await client.connection.withDeadline(Date.now() + FIND_MS, () => listRuns(client, queries));
  } catch (error) {
    const known = toClientError(error, place);
    if (!(known instanceof ClientError) || known.code !== 'no-worker') throw known;
    throw new ClientError('no-server', `the server at ${place.address} did not list its runs in time`, {
      cause: error,
    });
  }
}

async function listRuns(client: Client, queries: readonly string[]) {
  const found = new Map<string, FoundRun>();
  for (const query of queries) {
    for await (const { type, taskQueue, parentExecution, ...info } of client.workflow.list({ query })) {
      const workflowId = (type === AGENT_WORKFLOW && parentExecution?.workflowId) || info.workflowId;
      if (found.size === MAX_RUNS && !found.has(workflowId)) {
        const ofRuns = queries.filter((one) => !one.includes(AGENT_WORKFLOW));
        const counts = await Promise.all(ofRuns.map((one) => client.workflow.count(one)));
        const total = counts.reduce((sum, { count }) => sum + count, 0);
        // Some may have begun or ended meanwhile; one more was seen.
        return { runs: [...found.values()], notAsked: Math.max(1, total - MAX_RUNS) };
      }
      found.set(workflowId, { workflowId, taskQueue });
    }
  }
  return { runs: [...found.values()], notAsked: 0 };
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
