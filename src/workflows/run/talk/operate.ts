/** Decides whether an operator's action on the whole run is possible. For single nodes see `node-actions.ts`. */

import {
  CONTROLS,
  given,
  nodeIndex,
  refuse,
  type Control,
  type ControlAction,
  type Refused,
} from '../../../protocol/index.ts';
import type { ApprovalSubject } from '../../approval/state.ts';
import { ineligibleAt, rolesFor } from '../../approval/coverage.ts';
import { ineligibleText, normalizeName, roleText } from '../../approval/rules.ts';
import { endBackoff, canFallBack } from '../backoff.ts';
import { isEmpty } from '../records.ts';
import { openRemoved } from '../started-effects.ts';
import { subjectFor, kill } from '../run.ts';
import type { Execution, Run } from '../in-memory.ts';
import { endBudget, grantAgain } from '../spending/spend.ts';
import { accept, already, isNodeAction, NODE_ACTIONS, type Aim, type NodeAction, type Ruling } from './node-actions.ts';
import { questionOf } from './questions.ts';

/** Actions that also work before the run has a plan. */
const RUN_ACTIONS: Record<Exclude<ControlAction, NodeAction>, (run: Run, control: Control) => Ruling> = {
  kill: ruleKill,
  fallback: ruleFallback,
  'go-on': ruleNewHistory,
  pause: rulePause,
  resume: rulePause,
};

export function ruleControl(run: Run, control: Control, personKey?: true): Ruling {
  const { action } = control;
  if (!isNodeAction(action)) return RUN_ACTIONS[action](run, control);
  const aim = aimOf(run, control, personKey);
  return 'refusal' in aim ? aim : NODE_ACTIONS[action](aim);
}

/** Stores the signed message by which a person repeats a node. Workers verify it. */
export function recordRepetition({ execution }: Run, { node = '' }: Control, token: string): void {
  const at = nodeIndex(node);
  if (execution !== undefined) execution.repeatedBy[at] = [...(execution.repeatedBy[at] ?? []), token];
}

function aimOf(run: Run, control: Control, personKey?: true): Aim | Refused {
  const { execution } = run;
  const closed = closedProblem(run);
  if (closed !== undefined) return closed;
  if (execution === undefined) return refuse('early', 'there is no plan yet; try again in a moment');
  const { status: statuses } = execution.progress;
  const removed = removedBy(run, control);
  if (removed === undefined) {
    const stale = staleProblem(run, control);
    if (stale !== undefined) return stale;
  } else if (control.action !== 'resolve' && control.action !== 'skip-node') {
    return refuse('not-possible', `the open plan does not have ${control.node}: resolve it, or skip leaves it open`);
  }
  const of = removed ?? execution;
  const node = removed === undefined ? nodeIndex(control.node ?? '') : 0;
  const status = of.progress.status[node];
  if (status === undefined) {
    return refuse('unknown-node', `this plan has no ${control.node ?? ''}; it has node_1 to node_${statuses.length}`);
  }
  const subject = subjectFor(run, of);
  const wrong = CONTROLS[control.action].gated
    ? (roleProblem(run, node, control, of) ?? keyProblem(node, control, subject, personKey))
    : undefined;
  return wrong ?? { run, execution: of, control, node, status };
}

/**
 * The execution of a removed effect, if the message names it by its plan's digest. Nodes of the open plan have
 * precedence.
 */
function removedBy({ execution, state }: Run, { node = '', digest }: Control): Execution | undefined {
  const isOpen = digest !== undefined && state.approval.digest.startsWith(digest);
  if (digest === undefined || (isOpen && execution?.unsettled[nodeIndex(node)] !== undefined)) return undefined;
  const named = Object.values(state.removedEffects ?? {}).find(
    (one) => one.node === node && one.planShape.digest.startsWith(digest) && !(isOpen && isEmpty(one.nodes.unsettled)),
  );
  return named && openRemoved(named);
}

/** Rejects a message whose digest is not the open plan's. If the run has no plan yet, any digest is accepted. */
function staleProblem(run: Run, { digest }: Control): Refused | undefined {
  const {
    execution,
    state: { approval },
  } = run;
  if (execution === undefined || digest === undefined || approval.digest.startsWith(digest)) return undefined;
  const reason = `the open plan is ${approval.digest.slice(0, 8)}, not ${digest.slice(0, 8)}`;
  return refuse('stale-digest', `${reason}${withoutContextNote(run, digest)}`);
}

/** A note for a rejection, if the digest in the message is that of the plan without its external context. */
export function withoutContextNote({ execution }: Run, digest: string): string {
  const { digestWithoutContext = '', digest: open = '' } = execution?.planShape ?? {};
  if (!digestWithoutContext.startsWith(digest) || open.startsWith(digest)) return '';
  return `. ${digestWithoutContext} is the digest of the same plan without its external context, and ${open} holds the values too: look at them in the question, and name that one`;
}

function ruleKill(run: Run, { by, comment }: Control): Ruling {
  const { killed } = run.state.approval.closed ?? {};
  if (killed?.by === by && killed.comment === comment) return already('it is killed already');
  const reply = 'killed; what is under way is asked to stop';
  return closedProblem(run) ?? accept(reply, (at) => kill(run, { by, comment: comment ?? '' }, at));
}

function ruleFallback(run: Run): Ruling {
  const { state } = run;
  const { backoff, planning } = state;
  const closed = closedProblem(run);
  if (closed !== undefined) return closed;
  if (planning !== undefined && state.account?.wait !== undefined)
    return accept(planning.anew === undefined ? TO_FALLBACK : TO_END, (at) => endBudget(run, at, 'partial'));
  if (backoff === undefined || !canFallBack(backoff) || planning === undefined)
    return refuse('not-possible', 'no planning waits for its model or for a person; there is no fallback to go on to');
  return accept(TO_FALLBACK, (at) => {
    state.backoff = { ...backoff, deadline: at };
  });
}

const TO_FALLBACK = 'the planning goes on to its fallback, which a person has to approve';
const TO_END = 'the run replans no more, and ends with the results that there are';

function ruleNewHistory(run: Run): Ruling {
  const reply =
    'it goes on in a new history within seconds; what is under way begins again there, and an effect that has begun ends first';
  const closed = closedProblem(run);
  if (closed !== undefined) return closed;
  if (run.drain.isRequested === true) return already('it goes on in a new history already');
  return accept(reply, () => {
    run.drain.isRequested = true;
  });
}

function closedProblem({ state: { approval } }: Run): Refused | undefined {
  const { phase, closed } = approval;
  return phase === 'closed' ? refuse('closed', `the run is closed: ${closed?.outcome ?? ''}`) : undefined;
}

/** Stopping a node needs no role. Skipping or settling it needs a role that may approve it. */
function roleProblem(
  run: Run,
  node: number,
  { action, role, by, node: id }: Control,
  of: Execution,
): Refused | undefined {
  const subject = subjectFor(run, of);
  if (subject === undefined) return undefined;
  const question = of === run.execution ? questionOf(run, node) : undefined;
  const roles = question?.question.roles ?? rolesFor(node, subject);
  if (roles === undefined || (role !== undefined && roles.includes(role))) return undefined;
  return refuse('wrong-role', `${action} of ${id} is for the role ${roles.join(' or ')}; ${roleText(by, role)}`);
}

/** If a rule counts only certain people, only they may settle or repeat its nodes. */
function keyProblem(
  node: number,
  { action, by, node: id }: Control,
  subject: ApprovalSubject | undefined,
  personKey?: true,
): Refused | undefined {
  const obstacle = subject && ineligibleAt(node, subject, { person: normalizeName(by), ...given({ personKey }) });
  return obstacle && refuse('not-counted', `${action} of ${id} is for somebody else: ${ineligibleText(obstacle, by)}`);
}

function rulePause(run: Run, control: Control): Ruling {
  const refused = closedProblem(run) ?? staleProblem(run, control);
  if (refused !== undefined) return refused;
  const { action, by } = control;
  const { state } = run;
  const paused = action === 'pause';
  const change = (at: string) => {
    state.paused = paused;
    // If something is still unavailable, the run asks a person again later.
    if (!paused) endBackoff(run, at, `${by} has what it waits for tried again`);
  };
  if (!paused && state.account?.wait !== undefined)
    return accept('resumed; the budget is given once more', (at) => {
      change(at);
      grantAgain(run, by, at);
    });
  if (!paused && state.backoff !== undefined) return accept('resumed; what has failed is tried again now', change);
  if (state.paused === paused) return already(paused ? 'it is paused already' : 'it is not paused');
  return accept(paused ? 'paused; what has begun goes on' : 'resumed', change);
}
