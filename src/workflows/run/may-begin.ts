/** The checks right before an effect begins, since work may have waited long for a worker. */

import { effectOf, isRecord, NEW_HISTORY, nodeId } from '../../protocol/index.ts';
import { visible } from '../../plan/text/index.ts';
import { includes, mayRun, type Permission } from '../approval/coverage.ts';
import { isToReplan } from './replan.ts';
import { pauseOf } from './run.ts';
import type { Run } from './in-memory.ts';

/**
 * The signed messages under which a node may begin: its repetitions, the start, one of each author, and one approval
 * for each person, role and kind of key.
 */
export function approvalTokens({ dialogue, execution, work }: Run, id: unknown): readonly string[] {
  const one = typeof id === 'number' ? work[id] : undefined;
  if (one?.kind !== 'node') return [];
  const approved = new Map<string, string>();
  for (const { token, nodes, person, role, personKey } of dialogue.approval.consents) {
    if (token !== undefined && includes(nodes, one.node))
      approved.set(JSON.stringify([person, role, personKey]), token);
  }
  const start = dialogue.start === undefined ? [] : [dialogue.start.signed.token];
  return [...(execution?.repeatedBy?.[one.node] ?? []), ...start, ...dialogue.editTokens, ...approved.values()];
}

/**
 * Whether an effect may begin now, or a call to a model: the node is still needed and approved, and nothing is paused.
 * A pause does not stop a revision that a person asked for.
 * @param id of the work, as its request names it; or `{ agent }`, which is blocked by everything that blocks the run
 * with its node
 */
export function permissionOf(run: Run, id: unknown): Permission {
  const { dialogue, execution } = run;
  if (isRecord(id) && 'agent' in id) {
    const isKilled = dialogue.approval.closed?.killed !== undefined;
    const state = dialogue.cancelled ? 'cancelled' : isKilled ? 'killed' : pauseOf(run) && 'paused';
    return state === undefined ? MAY : block(`the run whose task this is is ${state}`);
  }
  const work = typeof id === 'number' ? run.work[id] : undefined;
  if (work?.kind === 'unused') return block(`${work.id} is not used any more: the plan is another one now`);
  if (work === undefined) return block('the run does not wait for it');
  const isNode = work.kind === 'node';
  const { stopping } = work;
  if (stopping !== undefined) {
    return block(`${isNode ? nodeId(work.node) : 'this'} was asked to stop by ${visible(stopping)}`);
  }
  if (dialogue.cancelled) return block('the run is cancelled');
  if (!isNode && dialogue.approval.phase === 'closed') return block('the run is closed');
  if (work.kind === 'message') return MAY;
  const pause = pauseOf(run);
  if (pause !== undefined) return block(pause);
  if (!isNode) return MAY;
  if (execution === undefined) return block('the run does not wait for it');
  const { node } = work;
  if (effectOf(execution.slice, node) !== 'read' && isToReplan(run)) return block('the plan is made anew');
  const permission = mayRun({ digest: execution.slice.digest, node }, dialogue.approval);
  return permission.ok && work.isDrained === true ? block(NEW_HISTORY) : permission;
}

const MAY: Permission = { ok: true };

function block(reason: string): Permission {
  return { ok: false, reason };
}
