/**
 * Everything that a run knows of single nodes: what a history hands to the next one as it is, beside the plan. The table says what
 * an edit does with each fact; a fact that is not in it does not compile.
 */

import type { Execution } from './execution.ts';
import type { ProgressState } from './nodes/progress.ts';

export type NodeFacts = ProgressState & Omit<Execution, 'slice' | 'pages' | 'progress' | 'lanes'>;

/**
 * An edit leaves a node as it is. Its fact then stays; or stays where the node is bound to the same as before, since in
 * another form it is not the same; or stays where the node has ended without a result and keeps that end; or is
 * reckoned anew.
 */
type AtEdit = 'stays' | 'repetition' | 'with-end' | 'reckoned';

const AT_EDIT: Readonly<Record<keyof NodeFacts, AtEdit>> = {
  status: 'reckoned',
  handles: 'reckoned',
  failures: 'with-end',
  causes: 'reckoned',
  unsettled: 'with-end',
  alone: 'stays',
  retries: 'repetition',
  repeatedBy: 'repetition',
  heldBack: 'repetition',
  worked: 'repetition',
  settling: 'with-end',
  scheduledAt: 'stays',
  endedAt: 'stays',
};

const FACTS = Object.entries(AT_EDIT) as readonly (readonly [keyof NodeFacts, AtEdit])[];

export function freshFacts(nodes: number): NodeFacts {
  return {
    status: Array.from({ length: nodes }, () => 'pending'),
    handles: Array.from({ length: nodes }, () => undefined),
    failures: new Map(),
    causes: new Map(),
    unsettled: new Set(),
    alone: new Set(),
    retries: new Map(),
    repeatedBy: new Map(),
    heldBack: new Map(),
    worked: new Map(),
    settling: new Map(),
    scheduledAt: [],
    endedAt: [],
  };
}

/** The facts of a run, not a copy: the maps and lists are the run's own. */
export function factsOf(execution: Execution): NodeFacts {
  const { progress, slice: _, pages: __, lanes: ___, ...own } = execution;
  const { status, handles, failures, causes, unsettled } = progress;
  return { status, handles, failures, causes, unsettled, ...own };
}

/** Gives a node of one plan what is known of a node of the plan before. */
export function moveFacts(edit: AtEdit, from: NodeFacts, old: number, to: NodeFacts, node: number): void {
  for (const [key, atEdit] of FACTS) if (atEdit === edit) moveFact(from[key], old, to[key], node);
}

function moveFact(from: NodeFacts[keyof NodeFacts], old: number, to: unknown, node: number): void {
  if (Array.isArray(from)) (to as unknown[])[node] = from[old];
  else if (from instanceof Set) {
    if (from.has(old)) (to as Set<number>).add(node);
  } else if (from.has(old)) (to as Map<number, unknown>).set(node, from.get(old));
}
