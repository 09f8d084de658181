/** Decides whether an operator's action on a node is possible and what it changes. The caller changes the state. */

import {
  MAX_REPETITIONS,
  nodeId,
  refuse,
  type Control,
  type ControlAction,
  type NodeStatus,
  type Refused,
  type ResultHandle,
} from '../../../protocol/index.ts';
import { askAgain } from '../../approval/approval.ts';
import { needsSeveral } from '../../approval/coverage.ts';
import { endNode, waitFrom, askingNodes, isAsking } from '../run.ts';
import type { Execution, Run } from '../in-memory.ts';
import { blockerOf, reset, skip } from '../nodes/skip-and-reset.ts';
import { fail, succeed } from '../nodes/progress.ts';
import { cancelTask, taskOn } from '../tasks.ts';
import { dropQuestion, questionOf } from './questions.ts';
import { isBlank } from './read-message.ts';

/**
 * The reply to the sender, and the change to make before replying, if any. `store`: the revision for which the
 * message's value is stored as a result. `change` is then called with the result's handle.
 */
export type Ruling =
  | { readonly ok: true; readonly reply: string; readonly store?: string; readonly change?: ControlChange }
  | Refused;

export type ControlChange = (at: string, handle?: ResultHandle) => void;

export interface Aim {
  readonly run: Run;
  readonly execution: Execution;
  readonly control: Control;
  readonly node: number;
  readonly status: NodeStatus;
}

export const NODE_ACTIONS = {
  'cancel-node': ruleCancel,
  'retry-node': ruleRetry,
  'skip-node': ruleSkip,
  resolve: ruleResolve,
} as const satisfies Partial<Record<ControlAction, (aim: Aim) => Ruling>>;

export type NodeAction = keyof typeof NODE_ACTIONS;

export function isNodeAction(action: ControlAction): action is NodeAction {
  return action in NODE_ACTIONS;
}

const DONE: readonly NodeStatus[] = ['succeeded', 'reused'];
const STILL: readonly NodeStatus[] = ['pending', 'running', 'waiting'];

function ruleCancel(aim: Aim): Ruling {
  const { run, node, status, control } = aim;
  const change = (at: string) => cancel(aim, at);
  if (status === 'cancelled') return already(`${control.node} is cancelled already`);
  if (status === 'running') {
    const asked = run.tasks[taskOn(run, node) ?? 0]?.stopping !== undefined;
    return asked
      ? already(`${control.node} is asked to stop already`)
      : accept('its work is asked to stop; what depends on it will be skipped', change);
  }
  if (aim.execution.mayHaveBegun[node] === true) return accept('whether it happened is not known; settle it', change);
  if (status === 'pending' || status === 'waiting') return accept('cancelled, with what depends on it', change);
  return refuse('not-possible', `${control.node} has ${status} and cannot be cancelled`);
}

function cancel({ run, execution, node, status, control }: Aim, at: string): void {
  if (status === 'running') {
    cancelTask(run, taskOn(run, node) ?? 0, control.by);
    return;
  }
  stopAsking(run, node, at);
  const end = { type: 'Cancelled', message: `cancelled by ${control.by}` };
  if (execution.mayHaveBegun[node] === true) endNode(run, node, { ...end, status: 'cancelled' }, at);
  else fail(execution.progress, node, 'cancelled', end);
}

function ruleRetry(aim: Aim): Ruling {
  const { run, node, status, control } = aim;
  const { progress, retries } = aim.execution;
  if (STILL.includes(status)) return already(`${control.node} is ${status} already`);
  if ((retries[node] ?? 0) >= MAX_REPETITIONS) {
    return refuse('not-possible', `${control.node} was repeated ${MAX_REPETITIONS} times; start the plan again`);
  }
  const cause = progress.causes[node];
  if (cause !== undefined) {
    return refuse('not-possible', `${control.node} was skipped because of ${nodeId(cause)}; retry that one`);
  }
  // A node that a person skipped cannot run again, since later nodes may have run without it.
  if (DONE.includes(status) || status === 'skipped') {
    return refuse('not-possible', `${control.node} has ${status} and cannot be repeated`);
  }
  const blocker = blockerOf(progress, node);
  if (blocker !== undefined) {
    const first = nodeId(progress.causes[blocker] ?? blocker);
    return refuse('not-possible', `${control.node} waits for ${first}, which has no result; retry that one first`);
  }
  if (status === 'uncertain' && isBlank(control.comment)) {
    const ways = 'give a comment: how you know that it did not; or resolve it, if you know what happened';
    return refuse('not-possible', `${control.node} may have happened: to run it again, ${ways}`);
  }
  const reply = 'it runs again, under a new idempotency key';
  return accept(isAskedAgain(run, node) ? `${reply}, once it is approved again` : reply, (at) => retry(aim, at));
}

function retry({ run, execution, node }: Aim, at: string): void {
  const { state } = run;
  const wasAsking = isAsking(run);
  delete execution.backoffs[node];
  delete execution.attempts[node];
  delete execution.mayHaveBegun[node];
  delete execution.reports[node];
  delete execution.stopped[node];
  execution.retries[node] = (execution.retries[node] ?? 0) + 1;
  reset(execution.progress, node);
  if (isAskedAgain(run, node)) state.approval = askAgain(state.approval, [node], at);
  else if (!wasAsking) restartApprovalWait(run, at);
}

/** Whether several people had to approve the node. They must then approve its repetition too. */
function isAskedAgain({ state: { approval } }: Run, node: number): boolean {
  return approval.subject !== undefined && needsSeveral(node, approval.subject);
}

/** Restarts the deadline of the approval, which may have passed while no node waited. */
function restartApprovalWait(run: Run, at: string): void {
  const { state } = run;
  const { subject } = state.approval;
  if (subject === undefined || askingNodes(run).length === 0) return;
  state.approval = { ...state.approval, wait: waitFrom(at, subject.deadlineMs) };
}

function ruleSkip(aim: Aim): Ruling {
  const { node, status, control } = aim;
  const { progress } = aim.execution;
  if (status === 'skipped') return already(`${control.node} is skipped already`);
  if (status === 'running') {
    return refuse('not-possible', `${control.node} is running; cancel it first, then skip what is left`);
  }
  if (DONE.includes(status) || (!STILL.includes(status) && progress.unsettled[node] === undefined)) {
    return refuse('not-possible', `${control.node} has ${status} and cannot be skipped`);
  }
  return accept('skipped; what needs its result is skipped too, what only follows it goes on', (at) =>
    skipNode(aim, at),
  );
}

function skipNode({ run, execution, node, control }: Aim, at: string): void {
  if (execution === run.execution) stopAsking(run, node, at);
  skip(execution.progress, node, { type: 'Skipped', message: `skipped by ${control.by}` });
}

function ruleResolve(aim: Aim): Ruling {
  const { node, status } = aim;
  const { progress } = aim.execution;
  const { outcome, node: id } = aim.control;
  const change: ControlChange = (_, handle) => resolve(aim, handle);
  if (outcome === 'succeeded' && DONE.includes(status)) return already(`${id} has succeeded already`);
  if (outcome === 'failed' && status === 'failed' && progress.unsettled[node] === undefined)
    return already(`${id} has failed already`);
  if (progress.unsettled[node] === undefined) {
    return refuse('not-possible', `${id} is ${status}; only a node that waits to be settled can be resolved`);
  }
  return outcome === 'succeeded'
    ? {
        ok: true,
        reply: 'it counts as succeeded, with this result',
        store: aim.execution.planShape.revisionRef,
        change,
      }
    : accept('it counts as failed; what depends on it is skipped', change);
}

function resolve({ execution, node, control }: Aim, handle: ResultHandle | undefined): void {
  const { progress } = execution;
  if (handle !== undefined) {
    succeed(progress, node, handle);
    return;
  }
  const failure = progress.failures[node] ?? { type: 'CRITICAL', message: '' };
  const message = `${failure.message} (said to have failed by ${control.by})`;
  fail(progress, node, 'failed', { ...failure, message });
}

function stopAsking(run: Run, node: number, at: string): void {
  const question = questionOf(run, node);
  if (question !== undefined) dropQuestion(run, question, at);
}

export function accept(reply: string, change: ControlChange): Ruling {
  return { ok: true, reply, change };
}

export function already(reply: string): Ruling {
  return { ok: true, reply };
}
