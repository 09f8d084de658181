/** The plan as the demo draws it: with what each node does before the run, with states and counts during it. */

import { outlineLines, rowLines, type Outline, type OutlineEntry } from '../language/outline/index.ts';
import { outlineOf, type CompiledPlan } from '../language/plan/index.ts';
import type { Screen } from '../cli/terminal/index.ts';

/** How a node stands, and what it gave. */
export type NodeState = Pick<OutlineEntry, 'standing' | 'gave'>;

type Look = Pick<Screen, 'width' | 'paint'>;

/** Every node with what its title leaves unsaid. */
export function planLines(plan: CompiledPlan, look: Look): readonly string[] {
  return outlineLines(outlineOf(plan), look);
}

/** The plan with the states of its nodes, a line each, to be drawn again in its place. */
export function stateLines(plan: CompiledPlan, states: ReadonlyMap<string, NodeState>, look: Look): readonly string[] {
  return outlineLines(withStates(plan, states), { ...look, single: true, named: true });
}

/** One node with its state, for a story that is only added to. */
export function stateLine(plan: CompiledPlan, id: string, state: NodeState, look: Look): string {
  const entry = withStates(plan, new Map([[id, state]])).entries.get(id)!;
  return rowLines({ kind: 'node', depth: 0, prefix: '', entry }, { ...look, single: true, named: true }).join('');
}

function withStates(plan: CompiledPlan, states: ReadonlyMap<string, NodeState>): Outline {
  return outlineOf(plan, { words: 'none', more: (id) => ({ standing: 'pending', ...states.get(id) }) });
}
