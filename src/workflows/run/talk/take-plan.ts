/** Another plan takes the place of the open one: that of an edit or a revision, or one that was made anew. */

import { effectOf, type RunSlice, type SameNodes } from '../../../protocol/index.ts';
import { openRevision } from '../../approval/approval.ts';
import type { Approval } from '../../approval/state.ts';
import { repetitionIn } from '../begun-effects.ts';
import { askingNodes, gateOf, type Run } from '../run.ts';
import { carryOver } from './carry-over.ts';

/**
 * @param from the approval before, and whether no person has asked for the plan
 * @returns what is open now, in words
 */
export function takePlan(
  run: Run,
  { slice, sameAs = [], reformed = [] }: SameNodes & { readonly slice: RunSlice },
  { approval, isAnew }: { readonly approval: Approval; readonly isAnew?: true },
  at: string,
): string {
  const { dialogue } = run;
  const before = run.execution?.slice;
  carryOver(run, slice, { sameAs, reformed }, at);
  const gate = gateOf(dialogue, slice);
  const asBefore = isAnew === true && before !== undefined ? asApproved(slice, before, sameAs) : sameAs;
  dialogue.approval = openRevision(approval, { digest: slice.digest, gate, at, sameAs: asBefore, isAnew });
  const reused = sameAs.filter((old) => old >= 0).length;
  const kept = reformed.filter((old) => old >= 0).length;
  const also = kept === 0 ? '' : `, ${kept} only in form, and keep what they did`;
  const again = repetitionIn(run, askingNodes(run));
  const repeats = again === undefined ? '' : `; ${again}`;
  const digest = slice.digest.slice(0, 8);
  return `revision ${dialogue.approval.revision} is open, digest ${digest}; ${reused} of its ${sameAs.length} nodes are unchanged${also}${repeats}`;
}

/**
 * An effect was approved as what follows the steps before it. Where no person has chosen the others that it follows now, as where a check
 * that failed is left out, it asks again.
 */
function asApproved(slice: RunSlice, before: RunSlice, sameAs: readonly number[]): readonly number[] {
  const orderOf = (nodes: readonly number[] = []) => [...nodes].toSorted((a, b) => a - b).join(' ');
  return sameAs.map((old, node) => {
    if (old < 0 || effectOf(slice, node) === 'read') return old;
    const follows = (slice.after?.[node] ?? []).map((one) => sameAs[one] ?? -1);
    return orderOf(follows) === orderOf(before.after?.[old]) ? old : -1;
  });
}
