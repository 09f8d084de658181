import type { OutlineEntry } from '../../plan/outline/index.ts';
import { groupsBy, outlineOf, type CompiledPlan } from '../../plan/index.ts';
import { byText, entryOfNode } from '../../operations/words/index.ts';
import { given, type SeenNode } from '../../protocol/index.ts';

/** Maximum numbers of rows: single nodes or, for a larger plan, groups and single effects in them. */
const SHOWN = { nodes: 60, groups: 30, effects: 12 };

/** The facts of a node for grouping. A plan may have 20,000 nodes, few of which are rendered. */
export interface NodeEntry {
  readonly id: string;
  readonly operator?: string | undefined;
  readonly takes: readonly string[];
  readonly node: SeenNode | undefined;
  readonly effect: OutlineEntry['effect'];
  readonly standing: OutlineEntry['standing'];
}

export interface NodeDetails extends OutlineEntry {
  readonly node: SeenNode | undefined;
}

export interface Group {
  readonly id: string;
  readonly entries: readonly NodeEntry[];
  readonly takes: readonly string[];
}

export interface PlanOnPage {
  /** Absent before the run, when nodes have no pages. */
  readonly workflowId?: string | undefined;
  readonly nodes: readonly SeenNode[];
  readonly plan?: CompiledPlan | undefined;
}

/** Nodes in execution order, taken from the run if its plan is in another store. */
export function entriesOf({ nodes, plan }: PlanOnPage): readonly NodeEntry[] {
  if (plan === undefined) return nodes.map((node) => entryIn(node.id, node.inputs ?? [], node));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return Object.values(plan.nodesById).map((node) =>
    node.kind === 'task'
      ? entryIn(node.id, node.dependsOn, byId.get(node.id))
      : entryIn(node.id, node.inputs, byId.get(node.id), node.operator),
  );
}

function entryIn(id: string, takes: readonly string[], node: SeenNode | undefined, operator?: string): NodeEntry {
  const standing = node?.status === 'running' ? entryOfNode(node).standing : node?.status;
  return { id, takes, node, operator, effect: node?.effect, standing };
}

export function detailsByNode({ plan }: PlanOnPage, groups: readonly Group[]): ReadonlyMap<string, NodeDetails> {
  const firsts = groups.map(({ entries }) => entries[0]!);
  if (plan === undefined) return new Map(firsts.map(({ id, node }) => [id, { ...entryOf(node!), node }]));
  const nodesById = Object.fromEntries(firsts.map(({ id }) => [id, plan.nodesById[id]!]));
  const { entries } = outlineOf({ ...plan, nodesById }, { words: 'none' });
  return new Map(firsts.map(({ id, node }) => [id, { ...entries.get(id)!, ...factsOf(node), node }]));
}

function factsOf(node: SeenNode | undefined): Partial<OutlineEntry> {
  if (node === undefined) return {};
  const { title: _title, takes: _takes, ...facts } = entryOf(node);
  return facts;
}

export function entryOf(node: SeenNode): OutlineEntry {
  const { ms, ...entry } = entryOfNode(node);
  return { ...entry, ...given({ ms: node.status === 'running' ? undefined : ms, by: byText(node) }) };
}

/**
 * Up to 60 nodes are single rows; more become at most 30 groups with equal executor, state and rank. If there are too
 * many groups, the rank is ignored, and finally everything but the state.
 */
export function groupsOf(entries: readonly NodeEntry[]): readonly Group[] {
  if (entries.length <= SHOWN.nodes) return joined(entries.map((one) => [one]));
  const effects = entries.filter(({ effect = 'read', standing }) => effect !== 'read' && standing !== 'failed');
  const unfolded = new Set(effects.length > SHOWN.effects ? [] : effects);
  const ranks = ranksOf(entries);
  const stateOf = ({ standing, effect }: NodeEntry) => `${standing} ${effect}`;
  const workOf = (one: NodeEntry) => `${stateOf(one)} ${one.operator ?? one.node?.executor}`;
  const keys = [(one: NodeEntry) => `${workOf(one)} ${ranks.get(one.id)}`, workOf, stateOf];
  for (const keyOf of keys) {
    const groups = groupsBy(entries, (one) => (unfolded.has(one) ? one.id : keyOf(one)));
    if (groups.size <= SHOWN.groups) return joined([...groups.values()]);
  }
  return joined([...groupsBy(entries, stateOf).values()]);
}

export function ranksOf(entries: readonly Pick<NodeEntry, 'id' | 'takes'>[]): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (const { id, takes } of entries)
    ranks.set(
      id,
      takes.reduce((highest, one) => Math.max(highest, (ranks.get(one) ?? 0) + 1), 0),
    );
  return ranks;
}

function joined(groups: readonly (readonly NodeEntry[])[]): readonly Group[] {
  const firsts = new Map<string, string>();
  for (const group of groups) for (const { id } of group) firsts.set(id, group[0]!.id);
  return groups.map((entries) => {
    const { id } = entries[0]!;
    const takes = new Set<string>();
    for (const one of entries) for (const input of one.takes) takes.add(firsts.get(input) ?? id);
    takes.delete(id);
    return { id, entries, takes: [...takes] };
  });
}
