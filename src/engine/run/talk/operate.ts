/**
 * The actions of an operator, as a table. Each is ruled on first, so that the reply is known before anything is
 * changed, and applied then.
 */

import {
  CONTROLS,
  MAX_REPETITIONS,
  nodeId,
  nodeIndex,
  refuse,
  type Control,
  type ControlAction,
  type NodeStatus,
  type Refused,
  type ResultHandle,
} from '../../../wire/contract/index.ts';
import { askAgain, needsSeveral, rolesFor, spokenAs } from '../approval/index.ts';
import { waitFrom } from '../dialogue.ts';
import { endFault } from '../held.ts';
import { kill } from '../kill.ts';
import type { Execution } from '../execution.ts';
import { blockerOf, fail, reset, skip, succeed } from '../nodes/index.ts';
import { askingNodes, isAsking, type Run } from '../run.ts';
import { stop, workOn } from '../work.ts';
import { dropQuestion, questionOf } from './questions.ts';

/** The reply that would be given. `store`: only once the value is stored as a result. */
export type Ruling =
  | { readonly ok: true; readonly reply: string; readonly store?: true; readonly isSoAlready?: true }
  | Refused;

/** The subject of an action. */
interface Aim {
  readonly run: Run;
  readonly execution: Execution;
  readonly control: Control;
  readonly node: number;
  readonly status: NodeStatus;
}

interface Operation {
  rule(aim: Aim): Ruling;
  apply(aim: Aim, at: string, handle?: ResultHandle): void;
}

/** Actions on a node need a run that has a plan. The others are heard before, too. */
const OPERATIONS: Record<Exclude<ControlAction, 'kill' | 'pause' | 'resume'>, Operation> = {
  'cancel-node': { rule: ruleCancel, apply: cancel },
  'retry-node': { rule: ruleRetry, apply: retry },
  'skip-node': { rule: ruleSkip, apply: skipNode },
  resolve: { rule: ruleResolve, apply: resolve },
};

const DONE: readonly NodeStatus[] = ['succeeded', 'reused'];
const STILL: readonly NodeStatus[] = ['pending', 'running', 'waiting'];

/**
 * Whether the run can do this now, and the reply that it would give. Saying again what holds already changes nothing.
 */
export function ruleControl(run: Run, control: Control): Ruling {
  const { action } = control;
  if (action === 'kill') return ruleKill(run, control);
  if (action === 'pause' || action === 'resume')
    return closedProblem(run) ?? staleProblem(run, control) ?? rulePause(run, action === 'pause');
  const aim = aimOf(run, control);
  return 'refusal' in aim ? aim : OPERATIONS[action].rule(aim);
}

/** Does what `ruleControl` allowed at this very moment; `handle` is the stored value where it asked for one. */
export function applyControl(run: Run, control: Control, at: string, handle?: ResultHandle): void {
  const { action, by, comment = '' } = control;
  if (action === 'kill') {
    kill(run, { by, comment }, at);
    return;
  }
  run.isFreed = true;
  if (action === 'pause' || action === 'resume') {
    run.dialogue.paused = action === 'pause';
    if (action === 'resume') endFault(run, at, `${by} has what it waits for tried again`);
    return;
  }
  const aim = aimOf(run, control);
  if (!('refusal' in aim)) OPERATIONS[action].apply(aim, at, handle);
}

/** The signed message by which a node is repeated, for the workers that check it. */
export function keepRepetition({ execution }: Run, { node = '' }: Control, token: string): void {
  const at = nodeIndex(node);
  execution?.repeatedBy.set(at, [...(execution.repeatedBy.get(at) ?? []), token]);
}

function aimOf(run: Run, control: Control): Aim | Refused {
  const { execution } = run;
  const closed = closedProblem(run);
  if (closed !== undefined) return closed;
  if (execution === undefined) return refuse('early', 'there is no plan yet; try again in a moment');
  const { status: statuses } = execution.progress;
  const facts = CONTROLS[control.action];
  const stale = staleProblem(run, control);
  if (stale !== undefined) return stale;
  const node = nodeIndex(control.node ?? '');
  const status = statuses[node];
  if (status === undefined) {
    return refuse('unknown-node', `this plan has no ${control.node ?? ''}; it has node_1 to node_${statuses.length}`);
  }
  return (facts.gated ? roleProblem(run, node, control) : undefined) ?? { run, execution, control, node, status };
}

/** A run without a plan accepts any digest: there is no other one. */
function staleProblem({ execution, dialogue: { approval } }: Run, { digest }: Control): Refused | undefined {
  if (execution === undefined || digest === undefined || approval.digest.startsWith(digest)) return undefined;
  return refuse('stale-digest', `the open plan is ${approval.digest.slice(0, 8)}, not ${digest.slice(0, 8)}`);
}

function ruleKill(run: Run, { by, comment }: Control): Ruling {
  const { killed } = run.dialogue;
  if (killed?.by === by && killed.comment === comment) return already('it is killed already');
  return closedProblem(run) ?? allowed('killed; what is under way is asked to stop');
}

function closedProblem({ dialogue: { approval } }: Run): Refused | undefined {
  const { phase, outcome = '' } = approval;
  return phase === 'closed' ? refuse('closed', `the run is closed: ${outcome}`) : undefined;
}

/** Stopping work needs no role. Going on without a node, or settling one, needs a role that may approve it. */
function roleProblem(run: Run, node: number, { action, role, by, node: id }: Control): Refused | undefined {
  const { gate } = run.dialogue.approval;
  if (gate === undefined) return undefined;
  const roles = questionOf(run, node)?.question.roles ?? rolesFor(node, gate);
  if (roles === undefined || (role !== undefined && roles.includes(role))) return undefined;
  return refuse('wrong-role', `${action} of ${id} is for the role ${roles.join(' or ')}; ${spokenAs(by, role)}`);
}

function rulePause(run: Run, paused: boolean): Ruling {
  if (!paused && run.dialogue.fault !== undefined) return allowed('resumed; what has failed is tried again now');
  if (run.dialogue.paused === paused) return already(paused ? 'it is paused already' : 'it is not paused');
  return allowed(paused ? 'paused; what has begun goes on' : 'resumed');
}

/** A fault that lasts is asked about anew, after as long as the first time. */
function ruleCancel({ run, node, status, control }: Aim): Ruling {
  if (status === 'cancelled') return already(`${control.node} is cancelled already`);
  if (status === 'running') {
    const asked = run.work.get(workOn(run, node) ?? 0)?.stopping !== undefined;
    return asked
      ? already(`${control.node} is asked to stop already`)
      : allowed('its work is asked to stop; what depends on it will be skipped');
  }
  if (status === 'pending' || status === 'waiting') return allowed('cancelled, with what depends on it');
  return refuse('not-possible', `${control.node} has ${status} and cannot be cancelled`);
}

function cancel({ run, execution, node, status, control }: Aim, at: string): void {
  if (status === 'running') {
    stop(run, workOn(run, node) ?? 0, control.by);
    return;
  }
  stopAsking(run, node, at);
  fail(execution.progress, node, 'cancelled', { type: 'Cancelled', message: `cancelled by ${control.by}` });
}

function ruleRetry({ run, execution: { progress, retries }, node, status, control }: Aim): Ruling {
  if (STILL.includes(status)) return already(`${control.node} is ${status} already`);
  if ((retries.get(node) ?? 0) >= MAX_REPETITIONS) {
    return refuse('not-possible', `${control.node} was repeated ${MAX_REPETITIONS} times; start the plan anew`);
  }
  const cause = progress.causes.get(node);
  if (cause !== undefined) {
    return refuse('not-possible', `${control.node} was skipped because of ${nodeId(cause)}; retry that one`);
  }
  // Nodes after one that a person skipped may have run, in the belief that it would not.
  if (DONE.includes(status) || status === 'skipped') {
    return refuse('not-possible', `${control.node} has ${status} and cannot be repeated`);
  }
  const blocker = blockerOf(progress, node);
  if (blocker !== undefined) {
    const first = nodeId(progress.causes.get(blocker) ?? blocker);
    return refuse('not-possible', `${control.node} waits for ${first}, which has no result; retry that one first`);
  }
  const reply = 'it runs again, under a new idempotency key';
  return allowed(isAskedAgain(run, node) ? `${reply}, once it is approved again` : reply);
}

function retry({ run, execution, node }: Aim, at: string): void {
  const { dialogue } = run;
  const wasAsking = isAsking(run);
  execution.settling.delete(node);
  execution.heldBack.delete(node);
  execution.retries.set(node, (execution.retries.get(node) ?? 0) + 1);
  reset(execution.progress, node);
  if (isAskedAgain(run, node)) dialogue.approval = askAgain(dialogue.approval, node, at);
  else if (!wasAsking) waitAnew(run, at);
}

/** A node that several people had to approve asks them about its repetition too. */
function isAskedAgain({ dialogue: { approval } }: Run, node: number): boolean {
  return approval.gate !== undefined && needsSeveral(node, approval.gate);
}

/** The run asked nobody for a while, and the deadline of then may be over. */
function waitAnew(run: Run, at: string): void {
  const { dialogue } = run;
  const { gate } = dialogue.approval;
  if (gate === undefined || askingNodes(run).length === 0) return;
  const { since: openSince, deadline } = waitFrom(at, gate.deadlineMs);
  dialogue.approval = { ...dialogue.approval, openSince, deadline };
}

function ruleSkip({ execution: { progress }, node, status, control }: Aim): Ruling {
  if (status === 'skipped') return already(`${control.node} is skipped already`);
  if (status === 'running') {
    return refuse('not-possible', `${control.node} is running; cancel it first, then skip what is left`);
  }
  if (DONE.includes(status) || (!STILL.includes(status) && !progress.unsettled.has(node))) {
    return refuse('not-possible', `${control.node} has ${status} and cannot be skipped`);
  }
  return allowed('skipped; what needs its result is skipped too, what only follows it goes on');
}

function skipNode({ run, execution, node, control }: Aim, at: string): void {
  stopAsking(run, node, at);
  execution.settling.delete(node);
  skip(execution.progress, node, { type: 'Skipped', message: `skipped by ${control.by}` });
}

function ruleResolve({ execution: { progress }, node, status, control }: Aim): Ruling {
  const { outcome, node: id } = control;
  if (outcome === 'succeeded' && DONE.includes(status)) return already(`${id} has succeeded already`);
  if (outcome === 'failed' && status === 'failed' && !progress.unsettled.has(node))
    return already(`${id} has failed already`);
  if (!progress.unsettled.has(node)) {
    return refuse('not-possible', `${id} is ${status}; only a node that waits to be settled can be resolved`);
  }
  return outcome === 'succeeded'
    ? { ok: true, reply: 'it counts as succeeded, with this result', store: true }
    : allowed('it counts as failed; what depends on it is skipped');
}

function resolve({ execution, node, control }: Aim, _at: string, handle?: ResultHandle): void {
  const { progress } = execution;
  execution.settling.delete(node);
  if (handle !== undefined) {
    succeed(progress, node, handle);
    return;
  }
  const failure = progress.failures.get(node) ?? { type: 'CRITICAL', message: '' };
  const message = `${failure.message} (said to have failed by ${control.by})`;
  fail(progress, node, 'failed', { ...failure, message });
}

function stopAsking(run: Run, node: number, at: string): void {
  const asked = questionOf(run, node);
  if (asked !== undefined) dropQuestion(run, asked, at);
}

function allowed(reply: string): Ruling {
  return { ok: true, reply };
}

function already(reply: string): Ruling {
  return { ok: true, reply, isSoAlready: true };
}
