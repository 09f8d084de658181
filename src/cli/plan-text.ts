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
import { asTyped } from './typed-command.ts';

const ROWS = 100;
const folded = () => `the plan is folded here; \`${asTyped('compile FILE -o json')}\` tells of every node`;

export function goalText(goal: string, columns: number): string {
  return table([[goal]], { columns });
}

interface Shown extends Pick<OutlineOptions, 'executors'> {
  /** The nodes of the run. They name their effects even if the process reads no config. */
  readonly nodes?: readonly NodeView[];
  /** A line above the plan: upper limits of what it may do, ask and cost. */
  readonly bounds?: string | undefined;
}

/** The plan, its digest, and the sum of its effects if they are known. */
export function planText(
  plan: CompiledPlan,
  { executors, nodes, bounds }: Shown,
  { columns, paint }: Pick<Output, 'columns'> & Partial<Pick<Output, 'paint'>>,
): string {
  const doing = new Map(nodes?.map((node) => [node.id, doingOf(node)]));
  const outline = outlineOf(plan, { ...(executors && { executors }), more: (id) => doing.get(id) });
  const lines = outlineLines(outline, { width: columns, ...(paint && { paint }), most: ROWS });
  // The plan's question names its approvers, so they are not named here.
  const sum = executors === undefined ? [] : [sumOf(outline.entries.values())];
  const isFolded = outline.entries.size > ROWS;
  const above = bounds === undefined ? [] : [...wrap(visible(bounds), columns), ''];
  return [...above, ...lines, '', digestLine(plan), ...sum, ...(isFolded ? [folded()] : [])].join('\n');
}

function doingOf(node: NodeView): Partial<OutlineEntry> {
  const { effect, cost, status, reusedFrom } = node;
  const done = reusedFrom && { standing: status, gave: gaveOf(node) ?? '' };
  return { ...done, ...(effect !== undefined && { effect }), ...(cost !== undefined && { cost }) };
}

function digestLine({ digest, tasks, combines }: CompiledPlan): string {
  const counts = `${counted(tasks.length, 'task')}, ${counted(combines.length, 'combine')}`;
  return `digest ${digest}\n${counted(tasks.length + combines.length, 'node')}: ${counts}`;
}

export function openPlanText(openPlan: OutputOf<'shown'>, output: Output): string {
  const { plan, nodes, digest, text, bounds } = openPlan;
  const reuse = openPlan.reuse === undefined ? '' : `\n${visible(openPlan.reuse)}`;
  if (plan === undefined) return `${text.trimEnd()}\n\ndigest ${digest}${reuse}`;
  return `${planText(plan, { nodes, bounds }, output)}${reuse}`;
}

/** The changes since `before`, as lines; empty if the plans share no node, as two steps of a loop. */
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

/** Writes a valid document as its goal and a tree. Leaves any other unchanged. */
export function treeText(document: unknown, { executors }: Pick<OutlineOptions, 'executors'>, columns: number): string {
  const compiled = isRecord(document) && 'nodesById' in document ? undefined : compilePlan(document);
  if (compiled?.ok === false) return typeof document === 'string' ? document : JSON.stringify(document, null, 2);
  const plan = compiled?.plan ?? (document as CompiledPlan);
  return `${goalText(plan.goal, columns)}\n\n${planText(plan, { ...(executors && { executors }) }, { columns })}`;
}

export function compiledText({ plan, sentence, executors, bounds }: OutputOf<'compile'>, columns: number): string {
  const nodes = planText(plan, { ...(executors && { executors }), bounds: bounds?.text }, { columns });
  return [goalText(plan.goal, columns), '', ...wrap(sentence, columns), '', nodes].join('\n');
}
