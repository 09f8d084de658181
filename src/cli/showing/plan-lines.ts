/** A plan as commands show it, before and while it is run. */

import type { NodeView } from '../../wire/contract/index.ts';
import { outlineLines, sumOf, type OutlineEntry } from '../../language/outline/index.ts';
import { outlineOf, type CompiledPlan, type OutlineOptions } from '../../language/plan/index.ts';
import type { Output } from '../terminal/index.ts';
import { gaveOf } from './node-lines.ts';
import { digestLine } from './digest-line.ts';
import { asTyped } from '../as-typed.ts';

/** Rows of a plan; a larger one is folded, and its effects stay. */
const ROWS = 100;
const folded = () => `the plan is folded here; \`${asTyped('explain')}\` tells of every node`;

interface Shown extends Pick<OutlineOptions, 'executors'> {
  /** As its run tells them: they know what effects the nodes have, also where no config is at hand. */
  readonly nodes?: readonly NodeView[];
}

/**
 * The plan, its digest, and what it does to the world, added up where that is known. Data is not painted.
 */
export function planText(
  plan: CompiledPlan,
  { executors, nodes }: Shown,
  { columns, paint }: Pick<Output, 'columns'> & Partial<Pick<Output, 'paint'>>,
): string {
  const doing = new Map(nodes?.map((node) => [node.id, doingOf(node)]));
  const outline = outlineOf(plan, { ...(executors && { executors }), more: (id) => doing.get(id) });
  const lines = outlineLines(outline, { width: columns, ...(paint && { paint }), most: ROWS });
  // What is asked of whom its run says itself.
  const sum = executors === undefined ? [] : [sumOf(outline.entries.values())];
  const isFolded = outline.entries.size > ROWS;
  return [...lines, '', digestLine(plan), ...sum, ...(isFolded ? [folded()] : [])].join('\n');
}

function doingOf(node: NodeView): Partial<OutlineEntry> {
  const { effect, cost, status, reusedFrom } = node;
  const done = reusedFrom && { standing: status, gave: gaveOf(node) ?? '' };
  return { ...done, ...(effect !== undefined && { effect }), ...(cost !== undefined && { cost }) };
}
