import { sumOf, type Outline, type OutlineEntry } from '../../plan/outline/index.ts';
import {
  amountOf,
  boundsOfPlan,
  boundsText,
  executorName,
  given,
  nodeId,
  type AskedEffect,
  type NodeView,
  type OpenItem,
} from '../../protocol/index.ts';
import { clockText, counted, quoteForShell, visible } from '../../plan/text/index.ts';
import { missingFor } from '../approval/coverage.ts';
import { findBudget } from '../run/spending/spend.ts';
import { earlierText, repetitionsOf } from '../run/started-effects.ts';
import type { Execution, Run } from '../run/in-memory.ts';

export function outlineOfRun(execution: Execution): Outline {
  const { planShape } = execution;
  const entries = new Map<string, OutlineEntry>();
  planShape.inputs.forEach((_, node) => entries.set(nodeId(node), entryOf(execution, node)));
  return { root: nodeId(planShape.root), entries };
}

export function reusedFrom({ planShape: { reuse }, progress }: Execution, node: number): NodeView['reusedFrom'] {
  const { ref, at } = reuse?.done[node] ?? {};
  if (reuse === undefined || at === undefined || progress.status[node] !== 'reused') return undefined;
  return progress.handles[node]?.ref === ref ? { run: reuse.of, at } : undefined;
}

export function asksOf({ planShape }: Execution, nodes: readonly number[]): string {
  return sumOf(nodes.map((node) => ({ id: nodeId(node), ...keyOf(planShape, node), ...doingOf(planShape, node) })));
}

/** A line with the limits of the open plan: what it may do, cost and ask. */
export function boundsLine(run: Run): string | undefined {
  const { state, execution } = run;
  const { subject } = state.approval;
  if (execution === undefined || subject === undefined) return undefined;
  const approvals = missingFor([...execution.planShape.executorOf.keys()], subject, []);
  return boundsText(boundsOfPlan(execution.planShape, { budget: findBudget(run)?.limit, approvals }));
}

/** Maximum number of effects that an open item shows with their values. It counts the others. */
const EFFECTS_SHOWN = 100;

/** The first of these nodes that have an effect, with input values, and the number of the other ones. */
export function effectsOf(
  run: Run,
  nodes: readonly number[],
  again = repetitionsOf(run, nodes),
): Pick<OpenItem, 'effects' | 'effectCount' | 'leftOut'> {
  const { planShape } = run.execution as Execution;
  const { values = {}, valuesLeft = {} } = planShape;
  const above = nodes.filter((node) => (doingOf(planShape, node).effect ?? 'read') !== 'read');
  if (above.length === 0) return {};
  const shown = above.slice(0, EFFECTS_SHOWN);
  const effects = shown.map((node): AskedEffect => {
    const { label, effect, cost, resource } = planShape.executors[planShape.executorOf[node] ?? 0]!;
    const title = visible(`${executorName(label)}: ${planShape.summaries[node] ?? ''}`);
    return {
      node: nodeId(node),
      ...keyOf(planShape, node),
      title,
      effect,
      ...given({
        cost,
        resource,
        values: values[node],
        shows: planShape.previews?.[node]?.rows,
        untrusted: planShape.untrusted?.[node],
        before: again.has(node) ? earlierText(again.get(node)!) : undefined,
      }),
    };
  });
  const characters = shown.reduce((sum, node) => sum + (valuesLeft[node] ?? 0), 0);
  const facts = { effects, effectCount: above.length };
  if (shown.length === above.length && characters === 0) return facts;
  const rest = above.length - shown.length;
  const lacks = [
    rest > 0 && counted(rest, 'effect'),
    characters > 0 && `${counted(characters, 'character')} of values`,
  ];
  return { ...facts, leftOut: `not shown here: ${lacks.filter(Boolean).join(', ')}; ${showAllCommand(run)} shows all` };
}

export function showAllCommand({ workflowId }: Pick<Run, 'workflowId'>): string {
  return `planwright effects ${visible(quoteForShell(workflowId))}`;
}

function entryOf(execution: Execution, node: number): OutlineEntry {
  const { planShape, progress, scheduledAt, endedAt } = execution;
  const result = progress.handles[node];
  const from = reusedFrom(execution, node);
  const [scheduled, ended] = [scheduledAt[node], endedAt[node]];
  return {
    id: nodeId(node),
    ...keyOf(planShape, node),
    title: planShape.summaries[node] ?? '',
    ...doingOf(planShape, node),
    standing: progress.status[node] ?? 'pending',
    ...(result !== undefined && {
      gave: `${amountOf(result)}${from === undefined ? '' : `, reused from ${from.run}, ${clockText(from.at)}`}`,
    }),
    ...(scheduled !== undefined && ended !== undefined && { ms: ended - scheduled }),
    takes: (planShape.inputs[node] ?? []).map(nodeId),
  };
}

function keyOf({ contextKeys }: Execution['planShape'], node: number): Pick<OutlineEntry, 'key'> {
  return given({ key: contextKeys?.[node] });
}

function doingOf({ executors, executorOf }: Execution['planShape'], node: number) {
  const { effect, cost, resource } = executors[executorOf[node] ?? 0] ?? {};
  return given({ effect, cost, resource });
}
