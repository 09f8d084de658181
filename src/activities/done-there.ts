/** The nodes that a closed run has done, as its history tells: a store that was restored from a copy may know less. */

import { getClient } from '@temporalio/activity';
import { ANSWERS, given, problemOf, type NodesPage, type NodeStatus, type PlanView } from '../protocol/index.ts';
import { StoreError, type ResultStore } from '../store/index.ts';
import type { RunPlace } from './finished.ts';
import { lastExecution } from '../protocol/executions.ts';
import { readPlan } from './revision.ts';

/** Whether the effect of a node with this key has happened there, or may have. */
export type DoneThere = (key: string) => boolean;

const DONE: readonly NodeStatus[] = ['succeeded', 'reused', 'uncertain'];
const NODES_PER_PAGE = 500;
/**
 * @bound the answer of a closed run about what it has done, to a run that goes on from it
 * @beyond the attempt is held, and asks again
 */
const ANSWER_MS = 15_000;

/**
 * Asks the run. Of a plan that the store does not have, anything may be done.
 * @throws the error of a run that does not answer
 */
export async function doneByServer({ workflowId, chain }: RunPlace, store: ResultStore): Promise<DoneThere> {
  const { workflow } = getClient();
  const asked = <T>(call: () => Promise<T>) => workflow.withDeadline(Date.now() + ANSWER_MS, call);
  const runId = await asked(() => lastExecution(workflow, workflowId, chain));
  // The server does not know it any more: what the store knows is all there is.
  if (runId === undefined) return () => false;
  const handle = workflow.getHandle(workflowId, runId);
  const described = await asked(() => handle.describe());
  const ended = { ended: described.historyLength };
  const ids = new Set<string>();
  for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
    const request = { ...given({ after }), limit: NODES_PER_PAGE, ...ended };
    const page: NodesPage = await asked(() => handle.query<NodesPage, [object]>('nodes', request));
    checked('nodes', page, workflowId);
    for (const { id, status } of page.nodes) if (DONE.includes(status)) ids.add(id);
    after = page.next;
  }
  if (ids.size === 0) return () => false;
  const { digest } = checked('plan', await asked(() => handle.query<PlanView, [object]>('plan', ended)), workflowId);
  try {
    const { nodesById } = await readPlan(store, digest);
    const keys = new Set([...ids].map((id) => nodesById[id]?.key));
    return (key) => keys.has(key);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'not-found') return () => true;
    throw error;
  }
}

function checked<T>(query: 'nodes' | 'plan', told: T, workflowId: string): T {
  const problem = problemOf(ANSWERS[query], told);
  if (problem === undefined) return told;
  throw new TypeError(`the query ${query} of ${workflowId} was answered with what is no answer; ${problem}`);
}
