/** A plan as text, drawn as every other place draws it. */

import { outlineLines } from '../../outline/index.ts';
import type { CompiledPlan } from '../compiled-plan.ts';
import { outlineOf, type OutlineOptions } from './plan-outline.ts';

/** The options of `renderTree`: the width of a line, and those of every outline of a plan. */
export interface TreeOptions extends OutlineOptions {
  /** Columns of a line. Default 100. */
  readonly width?: number;
}

/**
 * The plan as a text tree, root first; a node that is used again is `(see node_3)` there. Steps with keys are a list.
 *
 * @example renderTree(plan, { words: 'none' }); // 'node_3  every record ...\n├─ node_1  Find genes\n└─ node_2  ...'
 */
export function renderTree(plan: CompiledPlan, { width = 100, ...options }: TreeOptions = {}): string {
  return outlineLines(outlineOf(plan, options), { width }).join('\n');
}
