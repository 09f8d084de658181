/** The nodes that a closed run has done, by its history: a store that was restored from a backup may know less. */

import { getClient } from '@temporalio/activity';
import { ANSWERS, problemOf, type NodeStatus, type ViewPage, type ViewRequest, type Owner } from '../protocol/index.ts';
import { StoreError, type ResultStore } from '../store/index.ts';
import { lastExecution } from '../protocol/executions.ts';
import { readPlan } from './revision.ts';

/** Whether the effect of a node with this key has happened there, or may have. */
export type DoneThere = (key: string) => boolean;

const DONE: readonly NodeStatus[] = ['succeeded', 'reused', 'uncertain'];
const NODES_PER_PAGE = 500;
/** The time for a closed run to report what it has done to the run that reuses it. */
const ANSWER_MS = 15_000;

/**
 * Asks the run. Of a plan that the store does not have, anything may be done.
 * @throws the error of a run that does not answer
 */
export async function doneByServer({ workflowId, chain }: Owner, store: ResultStore): Promise<DoneThere> {
  const { workflow } = getClient();
  const asked = <T>(call: () => Promise<T>) => workflow.withDeadline(Date.now() + ANSWER_MS, call);
  const runId = await asked(() => lastExecution(workflow, workflowId, chain));
  // The server does not know it any more: what the store knows is all there is.
  if (runId === undefined) return () => false;
  const handle = workflow.getHandle(workflowId, runId);
  const { historyLength: ended } = await asked(() => handle.describe());
  const ids = new Set<string>();
  let digest = '';
  let rest: ViewRequest | undefined = { ended, parts: ['plan', 'nodes'], nodes: { limit: NODES_PER_PAGE } };
  while (rest !== undefined) {
    const request: ViewRequest = rest;
    const page = checked(await asked(() => handle.query<ViewPage, [ViewRequest]>('view', request)), workflowId);
    for (const { id, status } of page.nodes?.nodes ?? []) if (DONE.includes(status)) ids.add(id);
    digest = page.plan?.digest ?? digest;
    rest = page.rest;
  }
  if (ids.size === 0) return () => false;
  try {
    const { nodesById } = await readPlan(store, digest);
    const keys = new Set([...ids].map((id) => nodesById[id]?.key));
    return (key) => keys.has(key);
  } catch (error) {
    if (error instanceof StoreError && error.code === 'not-found') return () => true;
    throw error;
  }
}

function checked(told: ViewPage, workflowId: string): ViewPage {
  const problem = problemOf(ANSWERS.view, told);
  if (problem === undefined) return told;
  throw new TypeError(`the query view of ${workflowId} was answered with what is no answer; ${problem}`);
}
