/**
 * The effects that have begun in a run, also in plans before the open one, so that people see a repetition before they
 * approve it.
 */

import type { BegunEffect } from './state.ts';
import { effectOf, nodeId } from '../../protocol/index.ts';
import { oneLine } from '../../plan/text/index.ts';
import type { Run } from './run.ts';

/** Call it before another plan takes the place of the open one. */
export function rememberEffects(run: Run): void {
  const known = run.dialogue.begunEffects;
  for (const [key, begun] of begunHere(run)) if (isNews(begun, known[key])) known[key] = begun;
}

/**
 * A sentence about the effects that an approval of these nodes lets happen once more; undefined where there are none.
 * @example repetitionIn(run, [1]); // 'Set the magnet has run already (revision 1, node_2); approving this lets it run again'
 */
export function repetitionIn(run: Run, nodes: readonly number[]): string | undefined {
  const { effectKeys: keys, begunElsewhere = {}, summaries = [] } = run.execution?.slice ?? {};
  if (keys === undefined) return undefined;
  const here = begunHere(run);
  const again = new Map<string, BegunEffect>();
  for (const node of nodes) {
    const key = keys[node] ?? '';
    const begun = run.dialogue.begunEffects[key] ?? here.get(key) ?? elsewhere(node);
    if (begun !== undefined) again.set(key, begun);
  }
  const [first] = again.values();
  if (first === undefined) return undefined;
  const { what, where, isOver } = first;
  const others = again.size === 1 ? '' : `, and so have ${again.size - 1} more`;
  const it = again.size === 1 ? 'it' : 'them';
  return `${oneLine(what)} ${isOver ? 'has' : 'may have'} run already (${where})${others}; approving this lets ${it} run again`;

  function elsewhere(node: number): BegunEffect | undefined {
    const told = begunElsewhere[node];
    return told === undefined ? undefined : { what: summaries[node] ?? '', where: told, isOver: false };
  }
}

function isNews(begun: BegunEffect, known: BegunEffect | undefined): boolean {
  return known === undefined || (begun.isOver && !known.isOver);
}

/** The effects of the open plan that have begun, by effect key. */
function begunHere({ execution, dialogue }: Run): ReadonlyMap<string, BegunEffect> {
  const begun = new Map<string, BegunEffect>();
  if (execution === undefined) return begun;
  const { slice, progress, scheduledAt } = execution;
  for (const [at, key] of Object.entries(slice.effectKeys ?? {})) {
    const node = Number(at);
    const status = progress.status[node];
    const isOver = status === 'succeeded' || status === 'reused';
    // An at-most-once effect that has failed is known not to have happened.
    const mayBe =
      status === 'running' ||
      status === 'uncertain' ||
      (status === 'cancelled' && scheduledAt[node] !== undefined) ||
      (status === 'failed' && effectOf(slice, node) === 'idempotent');
    const where = `revision ${dialogue.approval.revision}, ${nodeId(node)}`;
    const one = { what: slice.summaries[node] ?? '', where, isOver };
    if ((isOver || mayBe) && isNews(one, begun.get(key))) begun.set(key, one);
  }
  return begun;
}
