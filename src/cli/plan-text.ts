/** A plan as commands show it, before and while it is run. */

import { isRecord, type NodeView } from '../protocol/index.ts';
import { outlineLines, table, wrap } from '../plan/lines/index.ts';
import { sumOf, type OutlineEntry } from '../plan/outline/index.ts';
import {
  compilePlan,
  diffPlans,
  outlineOf,
  renderDiff,
  type CompiledPlan,
  type OutlineOptions,
} from '../plan/index.ts';
import type { Output } from './terminal/index.ts';
import { gaveOf } from '../operations/words/index.ts';
import { counted, visible } from '../plan/text/index.ts';
import type { OutputOf } from '../operations/index.ts';
import { asTyped } from './as-typed.ts';

/** Rows of a plan; a larger one is folded, and its effects stay. */
const ROWS = 100;
const folded = () => `the plan is folded here; \`${asTyped('compile FILE -o json')}\` tells of every node`;

/** The goal of a plan with its own line breaks, in lines of that width. */
export function goalText(goal: string, columns: number): string {
  return table([[goal]], { columns });
}

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
  // The run itself says who is asked.
  const sum = executors === undefined ? [] : [sumOf(outline.entries.values())];
  const isFolded = outline.entries.size > ROWS;
  return [...lines, '', digestLine(plan), ...sum, ...(isFolded ? [folded()] : [])].join('\n');
}

function doingOf(node: NodeView): Partial<OutlineEntry> {
  const { effect, cost, status, reusedFrom } = node;
  const done = reusedFrom && { standing: status, gave: gaveOf(node) ?? '' };
  return { ...done, ...(effect !== undefined && { effect }), ...(cost !== undefined && { cost }) };
}

/** A plan in two lines: its digest and its size. */
function digestLine({ digest, tasks, combines }: CompiledPlan): string {
  const counts = `${counted(tasks.length, 'task')}, ${counted(combines.length, 'combine')}`;
  return `digest ${digest}\n${counted(tasks.length + combines.length, 'node')}: ${counts}`;
}

/**
 * The open plan of a run with the effects that its worker gave each node; the text that the run itself has of it where its
 * plan is not in the store of this program.
 */
export function openPlanText(shown: OutputOf<'shown'>, output: Output): string {
  const { plan, nodes, digest, text } = shown;
  const reuse = shown.reuse === undefined ? '' : `\n${visible(shown.reuse)}`;
  if (plan === undefined) return `${text.trimEnd()}\n\ndigest ${digest}${reuse}`;
  return `${planText(plan, { nodes }, output)}${reuse}`;
}

/** The changes since the plan that was shown before; none where the two have nothing in common, as two steps of a loop. */
export function changesText(
  before: CompiledPlan | undefined,
  now: CompiledPlan | undefined,
  { columns }: Pick<Output, 'columns'>,
): readonly string[] {
  if (before === undefined || now === undefined) return [];
  const diff = diffPlans(before, now);
  if (diff.reused.length + diff.moved.length === 0) return [];
  return [`changes:\n${renderDiff(diff, before, now, { width: columns })}`];
}

/** A plan, or a document that compiles to one, with its goal; any other as it was written. */
export function treeText(document: unknown, { executors }: Pick<OutlineOptions, 'executors'>, columns: number): string {
  const compiled = isRecord(document) && 'nodesById' in document ? undefined : compilePlan(document);
  if (compiled?.ok === false) return typeof document === 'string' ? document : JSON.stringify(document, null, 2);
  const plan = compiled?.plan ?? (document as CompiledPlan);
  return `${goalText(plan.goal, columns)}\n\n${planText(plan, { ...(executors && { executors }) }, { columns })}`;
}

/** The goal, the plan as a whole in a sentence, and its nodes. */
export function compiledText({ plan, sentence, executors }: OutputOf<'compile'>, columns: number): string {
  const nodes = planText(plan, { ...(executors && { executors }) }, { columns });
  return [goalText(plan.goal, columns), '', ...wrap(sentence, columns), '', nodes].join('\n');
}
