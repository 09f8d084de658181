/**
 * How agents' runs end that this history does not hear of: they were started in an earlier one, or before a reset. What an agent's run
 * says of its end is only news, and one that is terminated or deleted says nothing: so their runs are looked at. Pure.
 */

import {
  isRecord,
  problemOf,
  REPLIES,
  type LookReply,
  type LookRequest,
  type RunResult,
} from '../../protocol/index.ts';
import { later } from './dialogue.ts';
import { note } from './run.ts';
import type { Run } from './in-memory.ts';
import type { WorkEnd } from './work-end.ts';
import { begin } from './work.ts';

/**
 * @bound .silent the pause before agents' runs are looked at, at first
 * @beyond twice as long each time
 * @bound .ending the same, once one has said that it ends
 * @beyond twice as long each time
 * @bound .most the same, at most
 * @beyond the pause stays so long
 */
const PAUSE_MS = { silent: 60_000, ending: 1000, most: 600_000 };

/** The agents whose runs are looked at. */
function unheard({ dialogue: { children }, agentsHere }: Run): readonly string[] {
  return Object.keys(children).filter((id) => children[id]?.isStarted === true && !agentsHere.has(id));
}

/** An agent's run has ended, or is about to. */
export function lookSoon({ dialogue, agentsHere }: Run, workflowId: string, at: string): void {
  if (!agentsHere.has(workflowId)) dialogue.looks = { ...dialogue.looks, times: 0, at: later(at, PAUSE_MS.ending) };
}

export function lookRequest(run: Run): LookRequest {
  const { chain, children } = run.dialogue;
  const agents = unheard(run).map((workflowId) => ({ workflowId, first: children[workflowId]?.first ?? '' }));
  return { chain, agents, ...(run.drain.stopAt !== undefined && { retried: true }) };
}

/** When they are looked at next (ISO 8601); undefined where there are none, or they are looked at now. */
export function nextLook(run: Run): string | undefined {
  return unheard(run).length === 0 || run.counts.all.look > 0 ? undefined : run.dialogue.looks?.at;
}

export function lookAtAgents(run: Run, at: string): void {
  const { dialogue } = run;
  if (unheard(run).length === 0) delete dialogue.looks;
  else if (dialogue.looks === undefined) dialogue.looks = { times: 0, at: pauseAfter(run, 0, at) };
  else if (at >= dialogue.looks.at) look(run);
}

export function look(run: Run): void {
  if (run.counts.all.look === 0) begin(run, { kind: 'look' });
}

function pauseAfter({ dialogue: { children } }: Run, times: number, at: string): string {
  const { silent, ending, most } = PAUSE_MS;
  const first = Object.values(children).some(({ isDone }) => isDone === true) ? ending : silent;
  return later(at, Math.min(first * 2 ** Math.min(times, 20), most));
}

/** @returns the ends of work that were seen, by the ids of the work */
export function endsSeen(run: Run, ended: WorkEnd, at: string): readonly (readonly [number, WorkEnd])[] {
  const { children, looks } = run.dialogue;
  const problem = ended.ok
    ? problemOf(REPLIES.lookAtAgents, ended.value)
    : ended.end.status === 'cancelled'
      ? looks?.problem
      : ended.end.message;
  if (problem !== undefined && problem !== looks?.problem)
    note(run, at, 'held', `the runs of its agents could not be looked at, and will be again: ${problem}`);
  const times = (looks?.times ?? 0) + 1;
  run.dialogue.looks = { times, at: pauseAfter(run, times, at), ...(problem !== undefined && { problem }) };
  if (!ended.ok || problem !== undefined) return [];
  const { retried } = ended.value as LookReply;
  if (retried !== undefined) run.drain.retried = retried;
  return (ended.value as LookReply).agents.flatMap(({ workflowId, first, ...seen }): [number, WorkEnd][] => {
    const child = children[workflowId];
    const end = child?.first === first ? endIn(seen) : undefined;
    return child === undefined || end === undefined ? [] : [[child.work, end]];
  });
}

function endIn({ result, end }: Pick<LookReply['agents'][number], 'result' | 'end'>): WorkEnd | undefined {
  if (result !== undefined) return { ok: true, value: result };
  return end && { ok: false, end, failure: { type: 'PlanFailed', message: end.message, details: [] } };
}

/** The end of work as that of its node: an agent's run ends with a result of its own. */
export function endOfNode({ dialogue }: Run, id: number, ended: WorkEnd): WorkEnd {
  const [workflowId] = Object.entries(dialogue.children).find(([, { work }]) => work === id) ?? [];
  if (workflowId === undefined || !ended.ok) return ended;
  const { outcome, result, by, comment = '' } = (isRecord(ended.value) ? ended.value : {}) as unknown as RunResult;
  if (outcome === 'done' && result !== undefined) return { ok: true, value: result };
  // It knew why this run was killed, and has ended with it.
  const isKilled = dialogue.approval.closed?.killed !== undefined;
  const how =
    by === undefined ? outcome : `${outcome}, ${outcome === 'rejected' ? outcome : 'killed'} by ${by}: ${comment}`;
  const message = isKilled ? 'the run was killed' : `the agent's run ${workflowId} ended as ${how}`;
  const end = isKilled
    ? ({ status: 'cancelled', type: 'Cancelled', message } as const)
    : ({ status: 'failed', type: 'PlanFailed', message } as const);
  return { ok: false, end, failure: { type: 'PlanFailed', message, details: [] } };
}
