/** The state of a run at one moment, for all views: its end, open items, attempts and values. */

import { seenNodes, workOf } from '../client/attempts.ts';
import type { RunHandle } from '../client/index.ts';
import type { RunSession } from '../config/project/index.ts';
import {
  countWaiting,
  given,
  isOfAgent,
  type ExecutedNodes,
  type ExecutedNode,
  type NodeView,
  type NodeWork,
  type OpenItem,
  type Outcome,
  type RunEnd,
  type RunStatus,
  type RunTimes,
  type StoppedResult,
} from '../protocol/index.ts';

type Run = Pick<RunSession['run'], 'view' | 'end'>;

export type EndOutcome = Outcome | 'terminated' | 'timed-out';

export type EndFacts = Partial<Omit<StoppedResult, 'outcome'>> & { readonly outcome: EndOutcome };

export function endFacts(end: RunEnd): EndFacts {
  return end.how === 'completed' ? end.result : { outcome: end.how };
}

/** The known status of a run. If the server ended the run, some fields are missing. */
export type RunFacts = Omit<RunStatus, 'next' | 'outcome' | Untold> &
  Partial<Pick<RunStatus, Untold>> & { readonly outcome?: EndOutcome };

type Untold = 'firstRunId' | 'revision' | 'digest' | 'counts' | 'startedAt';

/**
 * Reads the status from the worker, or from the server if no worker answers. `waitingFor` includes items of agents, but
 * none if the server terminated the run, since nobody can answer them.
 */
export async function factsOfRun({ run, listed }: { run: Run; listed?: RunSession['listed'] }): Promise<RunFacts> {
  const isOver = listed !== undefined && listed.status !== 'running';
  const isCutOff = listed?.status === 'terminated' || listed?.status === 'timed-out';
  const { status: last } = await run.view(['status']).catch((error: { code?: unknown }) => {
    if (isOver && error.code === 'no-worker') return { status: undefined };
    throw error;
  });
  if (last !== undefined && !isCutOff) {
    const { next: _, ...facts } = last;
    return { ...facts, waitingFor: countWaiting(last) };
  }
  const end = await run.end();
  const { outcome, digest, revision, by, comment } = endFacts(end);
  const reason = end.how === 'completed' ? undefined : end.message;
  const closed = given({ phase: 'closed' as const, outcome, digest, revision, by, comment, reason, waitingFor: 0 });
  if (last === undefined) return closed;
  const { counts, usage, firstRunId, startedAt } = last;
  return {
    ...closed,
    firstRunId,
    revision: last.revision,
    digest: last.digest,
    counts,
    startedAt,
    ...given({ usage }),
  };
}

export async function openItemsOf(
  run: Run,
  { waitingFor }: Pick<RunFacts, 'waitingFor'>,
): Promise<readonly OpenItem[]> {
  return waitingFor === 0 ? [] : (await run.view(['open'])).open;
}

export async function timesOf(run: Run, { startedAt }: Pick<RunFacts, 'startedAt'>): Promise<RunTimes> {
  return { ...(await run.view(['times'])).times, ...given({ startedAt }) };
}

/**
 * Adds attempts, ended activities and values to nodes, from the server and the store. `missing` says what is absent for
 * a long run and why.
 * @param revision the number of the open plan; attempts for other plans are omitted
 * @param options `histories` as of `RunHandle.view`; `gives: false` reads no values from the store
 */
export async function seeNodes(
  run: Pick<RunHandle, 'view' | 'readResult'>,
  nodes: readonly NodeView[],
  revision: number | undefined,
  { histories, gives = true }: { readonly histories?: number | undefined; readonly gives?: boolean } = {},
) {
  const ended = nodes.filter(hasEnded).map(({ id }) => id);
  const isOpen = (one: ExecutedNode) => one.revision === revision;
  const until = (found: readonly ExecutedNode[]) => {
    const ids = new Set(found.filter(isOpen).map(({ id }) => id));
    return ended.every((id) => ids.has(id));
  };
  const unread: { readonly begun: ExecutedNodes } = { begun: { nodes: [] } };
  const { readValues } = await import('../client/values.ts');
  const [{ attempts }, read, values] = await Promise.all([
    nodes.some(({ status }) => status === 'running') ? run.view(['attempts']) : { attempts: [] },
    ended.length > 0 ? run.view(['begun'], given({ until, histories })) : unread,
    readValues(run, gives ? nodes : []),
  ]);
  const { missing } = read.begun;
  const attempted = read.begun.nodes.filter(isOpen);
  const works = new Map<string, NodeWork>();
  for (const { id, revision: _, ...work } of attempted) works.set(id, work);
  for (const [id, work] of workOf(attempts)) works.set(id, work);
  return { nodes: seenNodes(nodes, works, values), attempts, begun: attempted, ...given({ missing }) };
}

/** Whether a worker has executed the node in this run. False for agents, which have runs of their own. */
function hasEnded({ status, scheduledAt, endedAt, executor }: NodeView): boolean {
  const isOwn = status !== 'reused' && !isOfAgent(executor);
  return isOwn && scheduledAt !== undefined && (endedAt !== undefined || status === 'waiting');
}
