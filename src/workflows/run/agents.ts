/** Exchanges signals between an agent's run and its parent run, and verifies their senders. */

import type { Child, Outgoing } from './state.ts';
import { type Sums, add, NONE } from './spending/ledger.ts';
import {
  FROM_AGENT,
  FROM_PARENT,
  given,
  type FromAgent,
  type FromParent,
  isDeeperThan,
  OPEN_ITEMS,
  problemOf,
  VALUE_LEVELS,
  type OpenItem,
  isRecord,
  REPLIES,
  type LookReply,
  type NodeEnd,
  type LookRequest,
  type RunResult,
} from '../../protocol/index.ts';
import { waitingIn, waitsForParent } from '../views/openings.ts';
import { firstOpen } from '../views/open-items.ts';
import { later, note, kill } from './run.ts';
import { reasonOf } from './backoff.ts';
import type { Run } from './in-memory.ts';
import type { TaskEnd } from './task-traits.ts';
import { beginTask } from './tasks.ts';
import { doublingPause } from './records.ts';

export function agentScheduled(run: Run, workflowId: string, taskId: number, key: string): void {
  // A paused run starts no agents, so this run is not paused.
  const out = { sent: JSON.stringify({ key, paused: false }) };
  run.state.children[workflowId] = { task: taskId, key, waitingFor: 0, isStarted: false, out };
}

/** @param isHere whether this history started the agent's run, so that the server reports its end here */
export function agentStarted(run: Run, workflowId: string, first: string, isHere: boolean): void {
  const child = run.state.children[workflowId];
  if (child !== undefined) Object.assign(child, { isStarted: true, first });
  if (isHere) run.agentsHere.add(workflowId);
  else if (child !== undefined) child.out = { asks: true };
  run.viewChanged = true;
}

export function agentEnded(run: Run, taskId: number): void {
  const { children } = run.state;
  for (const [workflowId, child] of Object.entries(children)) {
    if (child.task !== taskId) continue;
    delete children[workflowId];
    run.viewChanged = true;
    run.recheckNodes = true;
  }
}

/** Applies a signal of the parent or an agent. Ignores signals without that run's secret key. */
export function applyRunSignal(run: Run, message: unknown, at: string): void {
  const { parent, children } = run.state;
  if (problemOf(FROM_PARENT, message) === undefined) {
    const signal = message as FromParent;
    if (signal.key === parent?.key) applyParentSignal(run, signal, at);
  }
  if (problemOf(FROM_AGENT, message) !== undefined) return;
  const signal = message as FromAgent;
  if (signal.firstRunId !== run.state.firstRunId) return;
  for (const [workflowId, child] of Object.entries(children))
    if (signal.key === child.key) applyAgentSignal(run, workflowId, child, signal, at);
}

function applyParentSignal(run: Run, { paused, killed, asks }: FromParent, at: string): void {
  const { state } = run;
  const { parent } = state;
  run.recheckNodes = true;
  if (asks === true && parent !== undefined) {
    parent.out.sent = '';
    run.viewChanged = true;
  }
  if (paused !== undefined) state.parentPaused = paused;
  if (killed === undefined) return;
  note(run, at, 'control', `kill by ${killed.by} (${killed.comment}): the run whose task this is was killed`);
  kill(run, killed, at);
}

function applyAgentSignal(run: Run, workflowId: string, child: Child, signal: FromAgent, at: string): void {
  const { waitingFor, items, waits, spent, isDone } = signal;
  if (waitingFor !== undefined) {
    child.waitingFor = waitingFor;
    delete child.waits;
    if (waits !== undefined) child.waits = reasonOf(waits);
    storeItems(run, workflowId, items);
  }
  if (spent !== undefined) child.spent = { ...NONE, ...spent };
  // Anybody who has read the agent's input could send this signal, so it only causes a check of the agent's run.
  if (isDone === true && child.isDone !== true) {
    child.isDone = true;
    lookSoon(run, workflowId, at);
  }
  run.viewChanged = true;
  run.recheckNodes = true;
}

/** A signal to another run: to an agent (`to` is its workflow id), or to the parent. */
export type RunSignal =
  | { readonly to: string; readonly message: FromParent }
  | { readonly to: string; readonly cancel: true }
  | { readonly to?: never; readonly message: FromAgent };

/** The signals to send now: one at a time for each receiver, with a request to cancel after all others. */
export function signalsToRuns(run: Run, at: string): readonly RunSignal[] {
  const { state } = run;
  const { approval } = state;
  const signals: RunSignal[] = [];
  const paused = state.paused || state.parentPaused;
  for (const [to, child] of Object.entries(state.children)) {
    if (!child.isStarted) continue;
    const { key, task, out } = child;
    const message = { key, paused, ...given({ killed: approval.closed?.killed }) };
    if (isToSend(out, message, at)) signals.push({ to, message: { ...message, ...given({ asks: out.asks }) } });
    else if (run.tasks[task]?.stopping !== undefined && out.isUnderWay !== true && out.isCancelled !== true) {
      Object.assign(out, { isCancelled: true, isUnderWay: true });
      signals.push({ to, cancel: true });
    }
  }
  return [...signals, ...signalsToParent(run, at)];
}

function isToSend(out: Outgoing, message: object, at: string): boolean {
  const text = JSON.stringify(message);
  if (out.isUnderWay === true || out.sent === text || at < (out.notBefore ?? '')) return false;
  Object.assign(out, { sent: text, isUnderWay: true });
  return true;
}

/** Pause in ms before a failed signal is repeated. It doubles up to `most`. */
const SIGNAL_PAUSE_MS = { first: 1000, most: 60_000 };

export function signalPause(failures: number): number {
  return doublingPause(SIGNAL_PAUSE_MS, failures - 1);
}

/** The outcome of a signal to another run. `gone`: the receiver has ended or does not exist. */
export type SignalOutcome = 'taken' | 'gone' | 'failed';

export function signalEnded(run: Run, to: string | undefined, outcome: SignalOutcome, at: string): void {
  const { parent, children } = run.state;
  const out = to === undefined ? parent?.out : children[to]?.out;
  if (out === undefined) return;
  delete out.isUnderWay;
  run.viewChanged = true;
  if (outcome === 'gone' && to !== undefined) lookSoon(run, to, at);
  if (outcome !== 'failed') {
    delete out.failures;
    delete out.asks;
    return;
  }
  out.failures = (out.failures ?? 0) + 1;
  out.notBefore = later(at, signalPause(out.failures));
  delete out.sent;
  delete out.isCancelled;
}

function outgoing({ state: { parent, children } }: Run): readonly Outgoing[] {
  return [...(parent === undefined ? [] : [parent.out]), ...Object.values(children).map(({ out }) => out)];
}

export function isSignalling(run: Run): boolean {
  return outgoing(run).some(({ isUnderWay }) => isUnderWay === true);
}

export function nextSignal(run: Run, at: string): string | undefined {
  const times = outgoing(run).flatMap(({ notBefore = '' }) => (notBefore > at ? [notBefore] : []));
  return times.toSorted()[0];
}

function signalsToParent(run: Run, at: string): readonly RunSignal[] {
  const { parent, account, firstRunId } = run.state;
  if (parent === undefined || parent.out.isUnderWay === true || at < (parent.out.notBefore ?? '')) return [];
  const waitingFor = waitingIn(run);
  const waits = waitsForParent(run);
  const items = itemsToSend(run);
  // An item that replaces another one is reported too, even if the number of items stays the same.
  const shown = items.map(({ workflowId, id, revision, roles }) => [workflowId, id, revision, roles]);
  if (!isToSend(parent.out, { waitingFor, waits, shown }, at)) return [];
  return [
    { message: { key: parent.key, firstRunId, waitingFor, items, ...given({ waits, spent: account?.ledger.spent }) } },
  ];
}

export function lastMessageToParent({ state: { parent, account, firstRunId } }: Run): RunSignal | undefined {
  if (parent === undefined) return undefined;
  // Money that is reserved for a node counts as spent.
  const spent = account && Object.values(account.ledger.reserved).reduce<Sums>(add, account.ledger.spent);
  return { message: { key: parent.key, firstRunId, isDone: true, ...given({ spent }) } };
}

/** Maximum characters (of JSON) of the open items in a signal to the parent. The query `questions` returns all. */
const SENT_CHARACTERS = 8192;
/** Maximum size of the open items that a run stores for its agents, in characters of JSON. Snapshots contain them. */
const STORED_CHARACTERS = 262_144;
/** Maximum number of open items in one signal, so that reading it stays cheap. */
const SENT_ITEMS = 20;

function itemsToSend(run: Run): readonly OpenItem[] {
  const sent: OpenItem[] = [];
  let rest = SENT_CHARACTERS;
  for (const item of firstOpen(run, SENT_ITEMS)) {
    rest -= JSON.stringify(item).length;
    if (rest < 0) break;
    sent.push(item);
  }
  return sent;
}

/** Stores an agent's open items if they are well-formed, small enough, and about this agent or its own agents. */
function storeItems({ state: { children } }: Run, workflowId: string, items: unknown): void {
  const child = children[workflowId];
  if (child === undefined) return;
  delete child.items;
  if (!Array.isArray(items) || items.length === 0 || items.length > SENT_ITEMS) return;
  if (isDeeperThan(VALUE_LEVELS, items) || problemOf(OPEN_ITEMS, items) !== undefined) return;
  const isOfAgent = ({ workflowId: id }: OpenItem) => id === workflowId || id.startsWith(`${workflowId}.`);
  const sizeOf = (list: unknown) => (list === undefined ? 0 : JSON.stringify(list).length);
  const storedSize = Object.values(children).reduce((sum, one) => sum + sizeOf(one.items), 0);
  const size = sizeOf(items);
  if (items.every(isOfAgent) && size <= SENT_CHARACTERS + SENT_ITEMS && storedSize + size <= STORED_CHARACTERS)
    child.items = items;
}

/** Pause in ms before agents' runs are checked. It doubles up to `most`. `ending`: after an agent reported its end. */
const PAUSE_MS = { silent: 60_000, ending: 1000, most: 600_000 };

/**
 * Agents that a previous history of the run started. The server does not report their ends here, so the run must check
 * them.
 */
function agentsElsewhere({ state: { children }, agentsHere }: Run): readonly string[] {
  return Object.keys(children).filter((id) => children[id]?.isStarted === true && !agentsHere.has(id));
}

/** Schedules an early check of an agent's run that has ended or will end soon. */
export function lookSoon({ state, agentsHere }: Run, workflowId: string, at: string): void {
  if (!agentsHere.has(workflowId)) state.looks = { ...state.looks, times: 0, at: later(at, PAUSE_MS.ending) };
}

export function agentsToLookAt(run: Run): LookRequest {
  const { firstRunId, children } = run.state;
  const agents = agentsElsewhere(run).map((workflowId) => ({ workflowId, first: children[workflowId]?.first ?? '' }));
  return { firstRunId, agents, ...(run.drain.stopAt !== undefined && { retried: true }) };
}

/** When to check agents' runs next (ISO 8601); undefined if no check is needed or one is running. */
export function nextLook(run: Run): string | undefined {
  return agentsElsewhere(run).length === 0 || run.counts.all.look > 0 ? undefined : run.state.looks?.at;
}

export function lookWhenDue(run: Run, at: string): void {
  const { state } = run;
  if (agentsElsewhere(run).length === 0) delete state.looks;
  else if (state.looks === undefined) state.looks = { times: 0, at: pauseAfter(run, 0, at) };
  else if (at >= state.looks.at) look(run);
}

export function look(run: Run): void {
  if (run.counts.all.look === 0) beginTask(run, { kind: 'look' });
}

function pauseAfter({ state: { children } }: Run, times: number, at: string): string {
  const isEnding = Object.values(children).some(({ isDone }) => isDone === true);
  const first = isEnding ? PAUSE_MS.ending : PAUSE_MS.silent;
  return later(at, doublingPause({ first, most: PAUSE_MS.most }, times));
}

/** Reads a check of agents' runs. @returns the ends that the check found, by task id */
export function endsSeen(run: Run, ended: TaskEnd, at: string): readonly (readonly [number, TaskEnd])[] {
  const { children, looks } = run.state;
  const problem = ended.ok
    ? problemOf(REPLIES.lookAtAgents, ended.value)
    : ended.end.status === 'cancelled'
      ? looks?.problem
      : ended.end.message;
  if (problem !== undefined && problem !== looks?.problem)
    note(run, at, 'held', `the runs of its agents could not be looked at, and will be again: ${problem}`);
  const times = (looks?.times ?? 0) + 1;
  run.state.looks = { times, at: pauseAfter(run, times, at), ...(problem !== undefined && { problem }) };
  if (!ended.ok || problem !== undefined) return [];
  const { retried } = ended.value as LookReply;
  if (retried !== undefined) run.drain.retried = retried;
  return (ended.value as LookReply).agents.flatMap(({ workflowId, first, ...seen }): [number, TaskEnd][] => {
    const child = children[workflowId];
    if (child === undefined || child.first !== first) return [];
    const { result, end } = seen;
    if (result !== undefined) return [[child.task, { ok: true, value: result }]];
    return end === undefined ? [] : [[child.task, failedEnd(end)]];
  });
}

export function endOfNode({ state }: Run, id: number, ended: TaskEnd): TaskEnd {
  const [workflowId] = Object.entries(state.children).find(([, { task }]) => task === id) ?? [];
  if (workflowId === undefined || !ended.ok) return ended;
  const { outcome, result, by, comment = '' } = (isRecord(ended.value) ? ended.value : {}) as unknown as RunResult;
  if (outcome === 'done' && result !== undefined) return { ok: true, value: result };
  // The run was killed, and its agent ended for that reason.
  const isKilled = state.approval.closed?.killed !== undefined;
  const how =
    by === undefined ? outcome : `${outcome}, ${outcome === 'rejected' ? outcome : 'killed'} by ${by}: ${comment}`;
  const message = isKilled ? 'the run was killed' : `the agent's run ${workflowId} ended as ${how}`;
  return failedEnd({
    ...(isKilled ? { status: 'cancelled', type: 'Cancelled' } : { status: 'failed', type: 'PlanFailed' }),
    message,
  });
}

function failedEnd(end: NodeEnd): TaskEnd {
  return { ok: false, end, failure: { type: 'PlanFailed', message: end.message, details: [] } };
}
