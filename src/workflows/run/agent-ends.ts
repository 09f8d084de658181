/**
 * How this history learns that an agent's run has ended if an earlier history (or one before a reset) started it. It
 * looks at these runs: an agent's own report can be forged, and a terminated or deleted run sends none. Pure.
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

/** The pause before a look; it doubles up to `most`. `ending`: after an agent has reported its end. */
const PAUSE_MS = { silent: 60_000, ending: 1000, most: 600_000 };

/** The agents whose runs are looked at. */
function unheard({ dialogue: { children }, agentsHere }: Run): readonly string[] {
  return Object.keys(children).filter((id) => children[id]?.isStarted === true && !agentsHere.has(id));
}

/** An agent's run has ended, or is about to: look at it soon. */
export function lookSoon({ dialogue, agentsHere }: Run, workflowId: string, at: string): void {
  if (!agentsHere.has(workflowId)) dialogue.looks = { ...dialogue.looks, times: 0, at: later(at, PAUSE_MS.ending) };
}

export function agentsToLookAt(run: Run): LookRequest {
  const { chain, children } = run.dialogue;
  const agents = unheard(run).map((workflowId) => ({ workflowId, first: children[workflowId]?.first ?? '' }));
  return { chain, agents, ...(run.drain.stopAt !== undefined && { retried: true }) };
}

/** The time of the next look (ISO 8601); undefined if there is none to make, or one is under way. */
export function nextLook(run: Run): string | undefined {
  return unheard(run).length === 0 || run.counts.all.look > 0 ? undefined : run.dialogue.looks?.at;
}

export function lookWhenDue(run: Run, at: string): void {
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

/** @returns the ends that the look has found, by the ids of the work */
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

/** An agent's run ends with a result of its own: turns it into the end of its node. */
export function endOfNode({ dialogue }: Run, id: number, ended: WorkEnd): WorkEnd {
  const [workflowId] = Object.entries(dialogue.children).find(([, { work }]) => work === id) ?? [];
  if (workflowId === undefined || !ended.ok) return ended;
  const { outcome, result, by, comment = '' } = (isRecord(ended.value) ? ended.value : {}) as unknown as RunResult;
  if (outcome === 'done' && result !== undefined) return { ok: true, value: result };
  // The agent knew why this run was killed, and its result accounts for that.
  const isKilled = dialogue.approval.closed?.killed !== undefined;
  const how =
    by === undefined ? outcome : `${outcome}, ${outcome === 'rejected' ? outcome : 'killed'} by ${by}: ${comment}`;
  const message = isKilled ? 'the run was killed' : `the agent's run ${workflowId} ended as ${how}`;
  const end = isKilled
    ? ({ status: 'cancelled', type: 'Cancelled', message } as const)
    : ({ status: 'failed', type: 'PlanFailed', message } as const);
  return { ok: false, end, failure: { type: 'PlanFailed', message, details: [] } };
}
