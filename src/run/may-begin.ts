/** What stands right before an effect begins: work that was started may have waited long for a worker since. */

import { nodeId } from '../contract/index.ts';
import { visible } from '../text/index.ts';
import { includes, mayRun, type Permission } from './approval/index.ts';
import type { Run } from './run.ts';

/** The signed messages by which a node may begin: those that approved it, and those that had it repeated. */
export function proofOf({ dialogue, execution, work }: Run, id: unknown): readonly string[] {
  const one = typeof id === 'number' ? work.get(id) : undefined;
  if (one?.kind !== 'node') return [];
  const approved = dialogue.approval.consents.flatMap(({ token, nodes }) =>
    token !== undefined && includes(nodes, one.node) ? [token] : [],
  );
  return [...approved, ...(execution?.repeatedBy.get(one.node) ?? [])];
}

/**
 * Whether the effect of work under way may begin now: its node is still wanted and approved, and nothing is paused.
 * @param id of the work, as its request names it
 */
export function mayBegin(run: Run, id: unknown): Permission {
  const { dialogue, execution } = run;
  const work = typeof id === 'number' ? run.work.get(id) : undefined;
  if (work?.kind === 'unused') return hold(`${work.id} is not used any more: the plan was edited`);
  if (work?.kind !== 'node' || execution === undefined) return hold('the run does not wait for it');
  const { node, stopping } = work;
  if (stopping !== undefined) return hold(`${nodeId(node)} was asked to stop by ${visible(stopping)}`);
  if (dialogue.cancelled) return hold('the run is cancelled');
  if (dialogue.paused) return hold('the run is paused');
  if (dialogue.parentPaused === true) return hold('the run whose task this is is paused');
  return mayRun({ digest: execution.slice.digest, node }, dialogue.approval);
}

function hold(reason: string): Permission {
  return { ok: false, reason };
}
