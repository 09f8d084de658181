/**
 * The effects that have begun in a run, also in plans before the open one, so that people see a repetition before they
 * approve it.
 */

import type { BegunEffect } from './state.ts';
import { effectOf, nodeId } from '../../protocol/index.ts';
import { oneLine } from '../../plan/text/index.ts';
import type { Run } from './in-memory.ts';

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
  const begun = new Map([...begunHere(run), ...Object.entries(run.dialogue.begunEffects)]);
  const again = new Map<string, BegunEffect & { readonly isOther?: boolean }>();
  for (const node of nodes) {
    const key = keyOf(run, keys[node] ?? '');
    // Nobody knows what an uncertain effect has done, so another one of its capability may be the same in other words.
    const like = [...begun.values()].find(({ by }) => by !== undefined && by === nameOf(run, node));
    const found = begun.get(key) ?? elsewhere(node) ?? (like && { ...like, isOther: true });
    if (found !== undefined) again.set(key, found);
  }
  const [first] = again.values();
  if (first === undefined) return undefined;
  const { what, where, isOver, isOther } = first;
  const others = again.size === 1 ? '' : `, and so have ${again.size - 1} more`;
  const lets = isOther === true ? ', by the same capability; approving this may let' : '; approving this lets';
  const it = again.size === 1 ? 'it' : 'them';
  return `${oneLine(what)} ${isOver ? 'has' : 'may have'} run already (${where})${others}${lets} ${it} run again`;

  function elsewhere(node: number): BegunEffect | undefined {
    const told = begunElsewhere[node];
    return told === undefined ? undefined : { what: summaries[node] ?? '', where: told, isOver: false };
  }
}

/** In a loop a model words every step anew: there the words of a task without arguments do not tell two effects apart. */
function keyOf({ dialogue }: Run, key: string): string {
  return dialogue.loop === undefined ? key : key.split('.', 1)[0]!;
}

function nameOf({ execution }: Run, node: number): string | undefined {
  return execution?.slice.executors[execution.slice.executorOf[node]!]?.name;
}

function isNews(begun: BegunEffect, known: BegunEffect | undefined): boolean {
  return known === undefined || (begun.isOver && !known.isOver);
}

/** The effects of the open plan that have begun, by effect key. */
function begunHere(run: Run): ReadonlyMap<string, BegunEffect> {
  const { execution, dialogue } = run;
  const begun = new Map<string, BegunEffect>();
  if (execution === undefined) return begun;
  const { slice, progress, scheduledAt } = execution;
  for (const [at, whole] of Object.entries(slice.effectKeys ?? {})) {
    const node = Number(at);
    const key = keyOf(run, whole);
    const status = progress.status[node];
    const isOver = status === 'succeeded' || status === 'reused';
    const isOnce = effectOf(slice, node) === 'at-most-once';
    // An at-most-once effect that has failed is known not to have happened.
    const isUncertain =
      status === 'uncertain' ||
      ((status === 'cancelled' || status === 'skipped') && scheduledAt[node] !== undefined) ||
      (status === 'failed' && !isOnce);
    const mayBe = status === 'running' || isUncertain;
    const where = `revision ${dialogue.approval.revision}, ${nodeId(node)}`;
    const by = isOnce && isUncertain ? nameOf(run, node) : undefined;
    const one = { what: slice.summaries[node] ?? '', where, isOver, ...(by !== undefined && { by }) };
    if ((isOver || mayBe) && isNews(one, begun.get(key))) begun.set(key, one);
  }
  return begun;
}
