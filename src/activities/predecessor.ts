/** Finds the closed run that a run reuses, and ensures that no other run reuses it. */

import { getClient } from '@temporalio/activity';
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { quoteId } from '../plan/text/index.ts';
import { given, runKey, readRunName, RunFailureError, runName, type Owner } from '../protocol/index.ts';
import { AGENTS, type ResultStore } from '../store/index.ts';
import { chainsOf, doneNames, effectNames, linkTo, nextName, parentName, notedPlan, runIn } from './run-records.ts';
import { enterJson, entryJson, type Stores } from './stores.ts';

/** The state of a workflow id's newest run on the server. `unknown`: the server does not know a run with this id. */
export interface ServerState {
  readonly is: 'open' | 'closed' | 'unknown';
  readonly firstRunId?: string;
}

export type ServerStateOf = (workflowId: string) => Promise<ServerState>;

export async function serverState(
  workflowId: string,
  { workflow }: Pick<Client, 'workflow'> = getClient(),
): Promise<ServerState> {
  try {
    const { status, raw } = await workflow.getHandle(workflowId).describe();
    const firstRunId = raw.workflowExecutionInfo?.firstRunId || undefined;
    return { is: status.name === 'RUNNING' || status.name === 'PAUSED' ? 'open' : 'closed', ...given({ firstRunId }) };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { is: 'unknown' };
    throw error;
  }
}

/**
 * Finds the closed run with this name. Changes nothing, since the start may still be rejected.
 * @throws RunFailureError `InvalidInput` if this run may not reuse it
 */
export async function findPredecessor(
  name: string,
  own: Owner,
  stores: Stores,
  standingOf: ServerStateOf = serverState,
): Promise<Owner> {
  const { workflowId, digits } = readRunName(name);
  const run = `run ${quoteId(name)}`;
  const newest = await standingOf(workflowId);
  const known = (await chainsOf(stores, { ...own, workflowId })).map(({ firstRunId }) => firstRunId);
  const firstRunId = [newest.firstRunId ?? [], known].flat().find((one) => one.endsWith(digits ?? ''));
  const old = { ...own, workflowId, firstRunId: firstRunId ?? '' };
  if (isSameRun(old, own))
    throw refused(
      `${run} cannot go on from itself; name a closed run, one before it as ${quoteId(`${workflowId}@DIGITS`)}`,
    );
  const plan = firstRunId === undefined ? undefined : await notedPlan(stores.of(old), old);
  const standing = newest.firstRunId === firstRunId || newest.is === 'unknown' ? newest.is : 'closed';
  if (standing === 'open') throw refused(`${run} is open; ${END_IT}`);
  if (plan === undefined && standing === 'unknown') {
    throw refused(`there is no ${run} in namespace ${own.namespace}; "planwright list" names those that there are`);
  }
  if (plan === undefined) {
    const reasons = 'it is of another project or store, never had a plan, or was decided step by step';
    throw refused(
      `the store at ${stores.place} has nothing of ${run}: ${reasons}; give the store that its workers had`,
    );
  }
  return old;
}

/**
 * Makes `own` the only run that reuses the closed run, since two such runs would not know of each other's effects.
 * @returns earlier runs that were to reuse it and began nothing
 * @throws RunFailureError `InvalidInput` if another run was first
 */
export async function linkPredecessor(
  old: Owner,
  own: Owner,
  stores: Stores,
  standingOf: ServerStateOf = serverState,
): Promise<readonly Owner[]> {
  const parent = runIn(await enterJson(stores.of(own), parentName(own), linkTo(old)), own);
  if (!isSameRun(parent, old)) throw refused(`a run ${quoteId(own.workflowId)} went on from another; take a new id`);
  const store = stores.of(old);
  const passed: Owner[] = [];
  for (;;) {
    const name = nextName(old, passed.length);
    const known = runIn(await entryJson(store, name), own);
    if (isSameRun(known, own)) return passed;
    if (known === undefined) for (const run of passed) await checkPassable(run, old, stores, standingOf);
    const next = known ?? runIn(await enterJson(store, name, linkTo(own)), own);
    if (next === undefined) throw refused(`run ${quoteId(runName(old))} is reused by a run that is not known`);
    if (isSameRun(next, own)) return passed;
    passed.push(next);
  }
}

export async function predecessorOf(place: Owner, store: ResultStore): Promise<Owner | undefined> {
  return runIn(await entryJson(store, parentName(place)), place);
}

/** Checks that an earlier run that reuses the closed one has begun nothing. @throws RunFailureError `InvalidInput` */
async function checkPassable(run: Owner, old: Owner, stores: Stores, standingOf: ServerStateOf): Promise<void> {
  const newest = await standingOf(run.workflowId);
  const isOpen = newest.is === 'open' && newest.firstRunId === run.firstRunId;
  if (!isOpen && !(await hasOwnWork(run, old, stores))) return;
  const next = isOpen ? `that one is open: ${END_IT}, and name it then` : 'name that one';
  throw refused(
    `run ${quoteId(runName(old))} is reused by run ${quoteId(runName(run))}, and by one at a time; ${next}: what both have finished is reused then`,
  );
}

async function hasOwnWork(run: Owner, old: Owner, stores: Stores): Promise<boolean> {
  const store = stores.of(run);
  const known = new Set(await doneNames(stores.of(old), old));
  const done = await doneNames(store, run);
  if (done.some((name) => !known.has(name))) return true;
  return [...(await effectNames(store, run)), ...(await store.names(AGENTS))].length > 0;
}

export function isSameRun(one: Owner | undefined, other: Owner): boolean {
  return one !== undefined && runKey(one) === runKey(other);
}

export function refused(problem: string): RunFailureError {
  return new RunFailureError('InvalidInput', `$.options.reuse: ${problem}`);
}

const END_IT = 'wait for its end, or end it with "kill"';
