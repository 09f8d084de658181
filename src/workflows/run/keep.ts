/** The results that a run of a conversation leaves there when it ends (Osprey: context reuse). Pure. */

import { nodeId, type KeepRequest } from '../../protocol/index.ts';
import { inOrderOfEnd } from './execution.ts';
import type { Run } from './run.ts';

/**
 * The most results that one run leaves; the last that ended are kept.
 * @bound results that a run leaves in its conversation
 * @beyond the last ones; the rest counted
 */
const MAX_KEPT = 100;

/** Undefined where the run is of no conversation, or has no result. */
export function keepRequest({ dialogue, execution }: Run): KeepRequest | undefined {
  const { options, approval, family, loop } = dialogue;
  const { conversation } = options;
  // The findings of an agent are the result of the node that it carries out.
  if (conversation === undefined || family !== undefined) return undefined;
  const { outcome = 'aborted' } = approval;
  const none = { chain: dialogue.chain, conversation, outcome, steps: [], left: 0 };
  if (loop !== undefined) {
    const goal = 'goal' in loop.task ? loop.task.goal : '';
    return loop.result && { ...none, goal, result: loop.result.ref };
  }
  if (execution === undefined) return undefined;
  const { slice, progress } = execution;
  const { goal, root, contextKeys, revisionRef } = slice;
  if (contextKeys === undefined) {
    const result = progress.handles[root];
    return result && { ...none, goal, result: result.ref };
  }
  const steps = inOrderOfEnd(execution).flatMap((node) => {
    const handle = progress.handles[node];
    return handle === undefined ? [] : [{ nodeId: nodeId(node), ref: handle.ref }];
  });
  if (steps.length === 0) return undefined;
  const kept = steps.slice(-MAX_KEPT);
  return { ...none, goal, revision: revisionRef, steps: kept, left: steps.length - kept.length };
}
