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

/** The plan with the states of its nodes, a line each, to be drawn again in its place. */
export function stateLines(plan: CompiledPlan, states: ReadonlyMap<string, NodeState>, on: On): readonly string[] {
  return drawn(plan, states, on);
}

/** One node with its state, for a story that is only added to. */
export function stateLine(plan: CompiledPlan, id: string, state: NodeState, on: On): string {
  return drawn(plan, new Map([[id, state]]), on, id).join('');
}

function drawn(
  plan: CompiledPlan,
  states: ReadonlyMap<string, NodeState>,
  { screen: { paint, width }, backstage }: On,
  only?: string,
): readonly string[] {
  const more = (id: string): Entry => ({ standing: 'pending', ...states.get(id) });
  const whole = backstage.outlineOf(plan, { words: 'none', more });
  const look = { paint, width, single: true, named: true };
  if (only === undefined) return backstage.outlineLines(whole, look);
  const entries = new Map([[only, { ...whole.entries.get(only), takes: [] }]]);
  return backstage.outlineLines({ root: only, entries }, look);
}
