/** Checks whether an effect may begin, at the last moment, since its task may have waited long for a worker. */

import { effectOf, isRecord, NEW_HISTORY, nodeId } from '../../protocol/index.ts';
import { visible } from '../../plan/text/index.ts';
import { includes, mayRun, type Permission } from '../approval/coverage.ts';
import { shouldReplan } from './replan.ts';
import { pauseOf } from './run.ts';
import type { Run } from './in-memory.ts';

/**
 * The signed messages that let a node start: retries, the start, edits, one approval per person, role and kind of key.
 */
export function approvalTokens({ state, execution, tasks }: Run, id: unknown): readonly string[] {
  const task = typeof id === 'number' ? tasks[id] : undefined;
  if (task?.kind !== 'node') return [];
  const approved = new Map<string, string>();
  for (const { token, nodes, person, role, personKey } of state.approval.consents) {
    if (token !== undefined && includes(nodes, task.node))
      approved.set(JSON.stringify([person, role, personKey]), token);
  }
  const start = state.start === undefined ? [] : [state.start.signed.token];
  return [...(execution?.repeatedBy?.[task.node] ?? []), ...start, ...state.editTokens, ...approved.values()];
}

/**
 * Whether an effect or a model call may begin now. A pause does not stop a revision that a person requested.
 * @param id the task id in the worker's request, or `{ agent }`: if this run may begin nothing, its agents may not
 * either
 */
export function permissionOf(run: Run, id: unknown): Permission {
  const { state, execution } = run;
  if (isRecord(id) && 'agent' in id) {
    const isKilled = state.approval.closed?.killed !== undefined;
    const blocker = state.cancelled ? 'cancelled' : isKilled ? 'killed' : pauseOf(run) && 'paused';
    return blocker === undefined ? MAY : block(`the run whose task this is is ${blocker}`);
  }
  const task = typeof id === 'number' ? run.tasks[id] : undefined;
  if (task?.kind === 'unused') return block(`${task.id} is not used any more: the plan is another one now`);
  if (task === undefined) return block('the run does not wait for it');
  const isNode = task.kind === 'node';
  const { stopping } = task;
  if (stopping !== undefined) {
    return block(`${isNode ? nodeId(task.node) : 'this'} was asked to stop by ${visible(stopping)}`);
  }
  if (state.cancelled) return block('the run is cancelled');
  if (!isNode && state.approval.phase === 'closed') return block('the run is closed');
  if (task.kind === 'message') return MAY;
  const pause = pauseOf(run);
  if (pause !== undefined) return block(pause);
  if (!isNode) return MAY;
  if (execution === undefined) return block('the run does not wait for it');
  const { node } = task;
  if (effectOf(execution.planShape, node) !== 'read' && shouldReplan(run)) return block('the run is replanning');
  const permission = mayRun({ digest: execution.planShape.digest, node }, state.approval);
  return permission.ok && task.isDrained === true ? block(NEW_HISTORY) : permission;
}

const MAY: Permission = { ok: true };

function block(reason: string): Permission {
  return { ok: false, reason };
}
