/** What an operator's word does to a run: a ruling first, so that it can be told before anything is changed. */

import { refuse, type Refused } from './refusal.ts';
import { askAgain } from './approval.ts';
import type { Control } from './control.ts';
import { needsSeveral, rolesFor } from './coverage.ts';
import { blockerOf, reset, skip } from './by-hand.ts';
import { fail, releaseHeld, succeed, type NodeStatus, type Progress, type ResultHandle } from './progress.ts';
import { dropQuestion, questionOf } from './questions.ts';
import { askingNodes, waitFrom, type Run } from './run.ts';
import { spokenAs } from './sender.ts';
import { nodeId, nodeIndex } from './slice.ts';

export type ControlRuling =
  | { readonly ok: true; readonly reply: string; readonly apply: (at: string) => void; readonly isNews: boolean }
  /** The value has to be stored first; then `settle` takes it. */
  | { readonly ok: true; readonly store: number; readonly settle: (handle: ResultHandle) => void }
  | Refused;

const DONE: readonly NodeStatus[] = ['succeeded', 'reused'];
const STILL: readonly NodeStatus[] = ['pending', 'running', 'waiting'];

/** Whether the run can do this now, and what it would do. To say again what is so already changes nothing. */
export function ruleControl(run: Run, control: Control): ControlRuling {
  const { action } = control;
  if (run.approval.phase === 'closed') return refuse('closed', `the run is closed: ${run.approval.outcome ?? ''}`);
  const { progress, slice, approval } = run;
  // Whether messages must be signed is known with the plan; nothing unsigned may hold beyond that.
  if (progress === undefined || slice === undefined)
    return refuse('early', 'there is no plan yet; try again in a moment');
  if (action === 'pause' || action === 'resume') return rulePause(run, action === 'pause');
  if (control.digest !== undefined && !approval.digest.startsWith(control.digest)) {
    return refuse('stale-digest', `the open plan is ${approval.digest.slice(0, 8)}, not ${control.digest.slice(0, 8)}`);
  }
  const node = nodeIndex(control.node ?? '');
  const status = progress.status[node];
  if (status === undefined) {
    return refuse(
      'unknown-node',
      `this plan has no ${control.node ?? ''}; it has node_1 to node_${progress.status.length}`,
    );
  }
  const spoken = roleProblem(run, node, control);
  if (spoken !== undefined) return spoken;
  switch (action) {
    case 'cancel-node':
      return ruleCancel(run, progress, node, status, control);
    case 'retry-node':
      return ruleRetry(run, progress, node, status, control);
    case 'skip-node':
      return ruleSkip(run, progress, node, status, control);
    case 'resolve':
      return ruleResolve(run, progress, node, status, control);
  }
}

/** To stop work needs no role. To go on without a node, or to say what became of it, needs one that may approve it. */
function roleProblem(run: Run, node: number, { action, role, by, node: id }: Control): Refused | undefined {
  const { gate } = run.approval;
  if (action === 'cancel-node' || gate === undefined) return undefined;
  const roles = questionOf(run, node)?.question.roles ?? rolesFor(node, gate);
  if (roles === undefined || (role !== undefined && roles.includes(role))) return undefined;
  return refuse('wrong-role', `${action} of ${id} is for the role ${roles.join(' or ')}; ${spokenAs(by, role)}`);
}

function rulePause(run: Run, paused: boolean): ControlRuling {
  if (run.paused === paused) return already(paused ? 'it is paused already' : 'it is not paused');
  return change(paused ? 'paused; what is under way goes on' : 'resumed', () => {
    run.paused = paused;
  });
}

function ruleCancel(run: Run, progress: Progress, node: number, status: NodeStatus, control: Control): ControlRuling {
  const failure = { type: 'Cancelled', message: `cancelled by ${control.by}` };
  if (status === 'cancelled') return already(`${control.node} is cancelled already`);
  if (status === 'running') {
    return change('its work is asked to stop; what depends on it will be skipped', () => {
      for (const flight of run.flights) if (flight.node === node) flight.cancel();
    });
  }
  if (status === 'pending' || status === 'waiting') {
    return change('cancelled, with what depends on it', (at) => {
      stopAsking(run, node, at);
      fail(progress, node, 'cancelled', failure);
    });
  }
  return refuse('not-possible', `${control.node} has ${status} and cannot be cancelled`);
}

function ruleRetry(run: Run, progress: Progress, node: number, status: NodeStatus, control: Control): ControlRuling {
  if (STILL.includes(status)) return already(`${control.node} is ${status} already`);
  const cause = progress.causes.get(node);
  if (cause !== undefined) {
    return refuse('not-possible', `${control.node} was skipped because of node_${cause + 1}; retry that one`);
  }
  // What came after a node that a person skipped may have run, in the belief that it would not.
  if (DONE.includes(status) || status === 'skipped') {
    return refuse('not-possible', `${control.node} has ${status} and cannot be repeated`);
  }
  const blocker = blockerOf(progress, node);
  if (blocker !== undefined) {
    const first = nodeId(progress.causes.get(blocker) ?? blocker);
    return refuse('not-possible', `${control.node} waits for ${first}, which has no result; retry that one first`);
  }
  const { gate } = run.approval;
  const again = gate !== undefined && needsSeveral(node, gate);
  const reply = 'it runs again, under a new idempotency key';
  return change(again ? `${reply}, once it is approved again` : reply, (at) => {
    const asking = askingNodes(run).length;
    run.settling.delete(node);
    run.retries.set(node, (run.retries.get(node) ?? 0) + 1);
    reset(progress, node);
    if (again) run.approval = askAgain(run.approval, node, at);
    else if (asking === 0) waitAnew(run, at);
  });
}

function ruleSkip(run: Run, progress: Progress, node: number, status: NodeStatus, control: Control): ControlRuling {
  if (status === 'skipped') return already(`${control.node} is skipped already`);
  if (status === 'running') {
    return refuse('not-possible', `${control.node} is running; cancel it first, then skip what is left`);
  }
  if (DONE.includes(status) || (!STILL.includes(status) && !progress.unsettled.has(node))) {
    return refuse('not-possible', `${control.node} has ${status} and cannot be skipped`);
  }
  return change('skipped; what needs its result is skipped too, what only follows it goes on', (at) => {
    stopAsking(run, node, at);
    run.settling.delete(node);
    skip(progress, node, { type: 'Skipped', message: `skipped by ${control.by}` });
  });
}

function ruleResolve(run: Run, progress: Progress, node: number, status: NodeStatus, control: Control): ControlRuling {
  const { outcome, node: id } = control;
  if (outcome === 'succeeded' && DONE.includes(status)) return already(`${id} has succeeded already`);
  if (outcome === 'failed' && status === 'failed' && !progress.unsettled.has(node))
    return already(`${id} has failed already`);
  if (!progress.unsettled.has(node)) {
    return refuse('not-possible', `${id} is ${status}; only a node that waits to be settled can be resolved`);
  }
  if (outcome === 'succeeded') {
    return {
      ok: true,
      store: node,
      settle: (handle) => {
        run.settling.delete(node);
        succeed(progress, node, handle);
      },
    };
  }
  return change('it counts as failed; what depends on it is skipped', () => {
    run.settling.delete(node);
    const failure = progress.failures.get(node) ?? { type: 'CRITICAL', message: '' };
    fail(progress, node, 'failed', {
      ...failure,
      message: `${failure.message} (said to have failed by ${control.by})`,
    });
  });
}

/** Nobody was asked for a while, and the deadline of then may be over. */
function waitAnew(run: Run, at: string): void {
  const { gate } = run.approval;
  if (gate === undefined || askingNodes(run).length === 0) return;
  const { since: openSince, deadline } = waitFrom(at, gate.deadlineMs);
  run.approval = { ...run.approval, openSince, deadline };
}

function stopAsking(run: Run, node: number, at: string): void {
  const asked = questionOf(run, node);
  if (asked !== undefined) dropQuestion(run, asked, at);
}

/** The nodes that were held may have become free to start. */
export function freeNodes({ progress }: Run): void {
  if (progress !== undefined) releaseHeld(progress);
}

function change(reply: string, apply: (at: string) => void): ControlRuling {
  return { ok: true, reply, apply, isNews: true };
}

function already(reply: string): ControlRuling {
  return { ok: true, reply, apply: () => undefined, isNews: false };
}
