/** The plan as a story draws it: with what each node does before the run, with states and counts during it. */

import type { CompiledPlan } from 'planwright';
import type { Backstage, Entry, Screen } from './backstage.ts';

/** How a node stands, and what it gave. */
export type NodeState = Pick<Entry, 'standing' | 'gave'>;

interface On {
  readonly screen: Screen;
  readonly backstage: Pick<Backstage, 'outlineOf' | 'outlineLines'>;
}

/** Every node with what its title leaves unsaid. */
export function planLines(plan: CompiledPlan, { screen, backstage }: On): readonly string[] {
  const { paint, width } = screen;
  return backstage.outlineLines(backstage.outlineOf(plan), { paint, width: width - 2 });
}

/** One node with its state, in a line. Its mark alone stands for success, so that the results are below each other. */
export function stateLine(
  plan: CompiledPlan,
  id: string,
  state: NodeState,
  { screen: { paint, width }, backstage }: On,
): string {
  const { entries } = backstage.outlineOf(plan, { words: 'none', more: () => state });
  const only = new Map([[id, { ...entries.get(id), takes: [] }]]);
  const look = { paint, width, single: true, named: state.standing !== 'succeeded' };
  return backstage.outlineLines({ root: id, entries: only }, look).join('');
}
