/** Applies everything that reaches a run except messages, in order of arrival. Only a turn calls this. */

import type { Stored, PendingTask } from './state.ts';
import {
  type Arrival,
  type MessageArrival,
  isDeferral,
  newsIn,
  nodesIn,
  PART_ENDS,
  problemOf,
  unpackEnds,
  type PartEnds,
  addUsage,
} from '../../protocol/index.ts';
import { retryHandOverLater, endDrained } from './drain.ts';
import {
  agentScheduled,
  agentStarted,
  applyRunSignal,
  signalEnded,
  type SignalOutcome,
  agentEnded,
  endOfNode,
  endsSeen,
} from './agents.ts';
import { type TaskEnd, RETURNED, RETURNED_FROM_PARTS, isReturned } from './task-traits.ts';
import { note } from './run.ts';
import type { Run, Part } from './in-memory.ts';
import { quote } from '../../plan/text/index.ts';
import type { Verify } from './talk/authenticate.ts';
import { noteStored } from './trace.ts';
import { excludeFromParts, leavePart } from './parts.ts';
import { applyDraft, applyPlanning } from './draft.ts';
import { backOff, backOffRun, deferralByLoss, noteSuccess, endInVain } from './backoff.ts';
import { applyNode, applyUnused } from './apply-node.ts';
import { applyStep } from '../loop/rounds.ts';
import { applyReport } from './ending.ts';
import { deferForRules, learnProject } from './starter.ts';
import { reserveUsage, paidFor, settleTask } from './spending/spend.ts';
import { endDefault } from './talk/apply.ts';
import { applyGrants } from './talk/grants.ts';
import { endRequest } from './talk/inbox.ts';
import { isEmpty } from './records.ts';
import { replaceTask } from './tasks.ts';

/** What reaches a run: an arrival from outside, or a report about a task that this history started. */
export type Incoming = Arrival | Own;

type Own = { readonly at: string } & (
  | { readonly is: 'ended'; readonly taskId: number; readonly ended: TaskEnd }
  /** A child run will execute the node. Signals from the child have this key. */
  | { readonly is: 'child'; readonly workflowId: string; readonly taskId: number; readonly key: string }
  /** `first` is the id of the child's first execution. If `isHere`, the server reports its end to this history. */
  | { readonly is: 'child-there'; readonly workflowId: string; readonly first: string; readonly isHere: boolean }
  /** A signal to another run was sent or has failed. `to` is absent for the parent. */
  | { readonly is: 'signalled'; readonly to: string | undefined; readonly outcome: SignalOutcome }
  /** The activity of a part is scheduled. Its signals have this key. */
  | { readonly is: 'part-begun'; readonly part: string; readonly key: string }
  | { readonly is: 'part-ended'; readonly part: string; readonly ended: TaskEnd }
  /** The state was stored, but the history did not end. The next try does not store the same pages again. */
  | { readonly is: 'stored'; readonly stored: Stored }
  | { readonly is: 'not-stored'; readonly reason: string }
  | { readonly is: 'not-kept'; readonly reason: string }
  | { readonly is: 'inbox'; readonly inbox: boolean }
);

/**
 * Applies something that arrived other than by a message.
 * @returns 0 as the message id, since nobody waits for a reply
 */
export function arrive(run: Run, incoming: Exclude<Incoming, MessageArrival>, verify: Verify): 0 {
  const { at } = incoming;
  switch (incoming.is) {
    case 'cancelled':
      run.state.cancelled = true;
      break;
    case 'agent':
      applyRunSignal(run, incoming.message, at);
      break;
    case 'unknown':
      note(run, at, 'refused', `unknown signal ${quote(incoming.name)}`);
      break;
    case 'ended':
      applyEnd(run, incoming.taskId, incoming.ended, at, verify);
      break;
    case 'child':
      agentScheduled(run, incoming.workflowId, incoming.taskId, incoming.key);
      break;
    case 'part':
      applyPartSignal(run, incoming.message, at, verify);
      break;
    case 'part-begun':
      partScheduled(run, incoming.part, incoming.key);
      break;
    case 'part-ended':
      applyPart(run, incoming.part, incoming.ended, at, verify);
      break;
    case 'child-there':
      agentStarted(run, incoming.workflowId, incoming.first, incoming.isHere);
      break;
    case 'signalled':
      signalEnded(run, incoming.to, incoming.outcome, at);
      break;
    case 'stored':
      noteStored(run.state.trace, incoming.stored.trace);
      if (run.execution !== undefined && incoming.stored.planShape !== undefined)
        run.execution.pages = incoming.stored.planShape;
      break;
    case 'not-stored':
      retryHandOverLater(run, at, incoming.reason);
      note(run, at, 'refused', `the store took no snapshot: ${incoming.reason}`);
      break;
    case 'inbox':
      run.viewChanged ||= incoming.inbox !== run.state.project.inbox;
      run.state.project = { ...run.state.project, inbox: incoming.inbox };
      break;
    case 'not-kept':
      note(run, at, 'closed', incoming.reason);
  }
  return 0;
}

/**
 * Maximum number of messages in the last workflow task of a history. If more arrive during it, the server rejects the
 * end of the history (`UnhandledCommand`), and the worker replays all of it.
 */
const MAX_LAST_MESSAGES = 5;
/**
 * `MAX_LAST_MESSAGES` doubles after every `tasks` workflow tasks, at most `doublings` times. Otherwise a flood could
 * keep a history open.
 */
const DOUBLING = { tasks: 4, doublings: 7 };

/** @param tasks the number of workflow tasks that brought more messages than allowed */
export function maxLastMessages(tasks: number): number {
  return MAX_LAST_MESSAGES * 2 ** Math.min(Math.floor(tasks / DOUBLING.tasks), DOUBLING.doublings);
}

/** Counts the arrivals from outside the run. Only these predict how many will follow. */
export function countOutside(arrivals: readonly Incoming[]): number {
  return arrivals.filter(({ is }) => is === undefined || is === 'cancelled' || is === 'agent' || is === 'unknown')
    .length;
}

export function partScheduled({ parts }: Run, name: string, key: string): void {
  const part = parts.get(name);
  if (part !== undefined) part.key = key;
}

/** Ignores a signal without the part's key, since anybody can send signals. */
export function applyPartSignal(run: Run, message: unknown, at: string, verify: Verify): void {
  for (const part of [...run.parts.values()]) {
    const news = newsIn(message, (key) => key === part.key);
    if (news !== undefined) applyEnds(run, part, news.ends, at, verify);
  }
}

/** Applies the end of a part's activity. Nodes that it did not report become ready again. */
export function applyPart(run: Run, name: string, ended: TaskEnd, at: string, verify: Verify): void {
  const part = run.parts.get(name);
  if (part === undefined) return;
  const rest = part.isCancelled === true && !ended.ok ? STOPPED : restOf(ended);
  const isReply = ended.ok && problemOf(PART_ENDS, ended.value) === undefined;
  if (!isReply) {
    applyRest(run, part, rest, at, verify);
    return;
  }
  applyEnds(run, part, ended.value as PartEnds, at, verify);
  applyRest(run, part, STOPPED, at, verify);
}

/** The end of the nodes of a stopped part if its worker may be lost. No other worker executes the part. */
const STOPPED: TaskEnd = { ok: true, value: RETURNED };

/** How the other nodes of a part end if its activity returned no valid reply: deferred, cancelled or failed. */
function restOf(ended: TaskEnd): TaskEnd {
  if (!ended.ok) return ended.end.status === 'cancelled' || ended.end.type.startsWith('Timeout.') ? STOPPED : ended;
  if (isDeferral(ended.value)) return ended;
  const message = 'its part was completed with what is no reply of a part';
  return {
    ok: false,
    end: { status: 'failed', type: 'FATAL', message },
    failure: { type: 'FATAL', message, details: [] },
  };
}

function applyEnds(run: Run, part: Part, ends: PartEnds, at: string, verify: Verify): void {
  const { alone = '', barred = [] } = ends;
  const positionOf = new Map(part.nodes.map((node, position) => [node, position]));
  const applyOne = (node: number, value: unknown) => {
    const position = positionOf.get(node);
    if (position !== undefined) applyEnd(run, part.first + position, { ok: true, value }, at, verify);
  };
  for (const { node, handle } of unpackEnds(ends)) applyOne(node, handle);
  if (barred.length > 0) excludeFromParts(run, barred);
  for (const node of nodesIn(alone)) applyOne(node, RETURNED_FROM_PARTS);
}

function applyRest(run: Run, part: Part, ended: TaskEnd, at: string, verify: Verify): void {
  part.nodes.forEach((_, position) => applyEnd(run, part.first + position, ended, at, verify));
}

export function applyEnd(run: Run, id: number, arrived: TaskEnd, at: string, verify: Verify): void {
  const task = run.tasks[id];
  if (task === undefined) return;
  const ended = deferForRules(run, task, arrived, at);
  const drained = endDrained(run, id, task, ended);
  if (drained !== undefined) {
    if (drained !== 'deferred') applyTaskEnd(run, id, task, drained, at, verify);
    return;
  }
  const deferral = ended.ok ? (isDeferral(ended.value) ? ended.value : undefined) : deferralByLoss(run, task, ended);
  if (deferral === undefined || task.kind === 'node' || task.kind === 'unused') {
    if (deferral?.deferred === 'fault') backOffRun(run, deferral, at);
    else if (deferral === undefined && ended.ok && !isReturned(ended.value) && run.state.backoff)
      noteSuccess(run, task, at);
    applyTaskEnd(run, id, task, ended, at, verify);
    return;
  }
  if (deferral.deferred === 'budget') reserveUsage(run, id, task, deferral.usage);
  if (!backOff(run, task, deferral, at)) applyTaskEnd(run, id, task, endInVain(deferral), at, verify);
}

function applyTaskEnd(run: Run, id: number, task: PendingTask, end: TaskEnd, at: string, verify: Verify): void {
  const hasAgents = !isEmpty(run.state.children);
  const ended = hasAgents ? endOfNode(run, id, end) : end;
  settleTask(run, id, task, ended);
  run.state.usage = addUsage(run.state.usage, paidFor(run, id, ended));
  replaceTask(run, id);
  if (hasAgents) agentEnded(run, id);
  if ('part' in task) leavePart(run, task);
  if (!learnProject(run, task, ended, verify)) return;
  switch (task.kind) {
    case 'draft':
      applyDraft(run, ended, at);
      applyGrants(run, at, verify);
      break;
    case 'plan':
      applyPlanning(run, ended, at);
      break;
    case 'report':
      applyReport(run, ended);
      break;
    case 'decide':
      applyStep(run, ended, at);
      break;
    case 'node':
      applyNode(run, task, ended, at);
      break;
    case 'unused':
      applyUnused(run, task, ended, at);
      break;
    case 'look':
      for (const [agent, seen] of endsSeen(run, ended, at)) applyEnd(run, agent, seen, at, verify);
      break;
    case 'message':
      endRequest(run, task, ended, at, verify);
      break;
    case 'default':
      endDefault(run, task, ended, at);
      break;
  }
}
