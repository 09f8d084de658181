/** A large plan in few groups: equal work in equal states, each with its count. */

import type { OutlineEntry } from '../../plan/outline/index.ts';
import { outlineOf, type CompiledPlan } from '../../plan/index.ts';
import { byText, entryOfNode } from '../../operations/words/index.ts';
import { given, type SeenNode } from '../../protocol/index.ts';

/** Nodes that are shown one by one, the groups that more are folded into, and effects that each stay alone among them. */
const SHOWN = { nodes: 60, groups: 30, effects: 12 };

/** A node with what it is grouped by: a plan may have 20,000, of which few are told of. */
export interface Entry {
  readonly id: string;
  readonly operator?: string | undefined;
  readonly takes: readonly string[];
  readonly node: SeenNode | undefined;
  readonly effect: OutlineEntry['effect'];
  readonly standing: OutlineEntry['standing'];
}

/** A node as it is told of. */
export interface FullEntry extends OutlineEntry {
  readonly node: SeenNode | undefined;
}

/** Nodes that are shown as one. */
export interface Group {
  /** The id of the first. */
  readonly id: string;
  readonly entries: readonly Entry[];
  /** The groups whose results it takes. */
  readonly takes: readonly string[];
}

export interface PlanView {
  /** Absent before there is a run: its nodes have no pages then. */
  readonly workflowId?: string | undefined;
  readonly nodes: readonly SeenNode[];
  readonly plan?: CompiledPlan | undefined;
}

/** The nodes of a plan in the order of work, as the run tells them where its plan is in another store. */
export function entriesOf({ nodes, plan }: PlanView): readonly Entry[] {
  if (plan === undefined) return nodes.map((node) => entryIn(node.id, node.inputs ?? [], node));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return Object.values(plan.nodesById).map((node) =>
    node.kind === 'task'
      ? entryIn(node.id, node.dependsOn, byId.get(node.id))
      : entryIn(node.id, node.inputs, byId.get(node.id), node.operator),
  );
}

function entryIn(id: string, takes: readonly string[], node: SeenNode | undefined, operator?: string): Entry {
  const standing = node?.status === 'running' ? entryOfNode(node).standing : node?.status;
  return { id, takes, node, operator, effect: node?.effect, standing };
}

/** The first nodes of these groups, by their ids, with all that is told of them. */
export function detailsOf({ plan }: PlanView, groups: readonly Group[]): ReadonlyMap<string, FullEntry> {
  const firsts = groups.map(({ entries }) => entries[0]!);
  if (plan === undefined) return new Map(firsts.map(({ id, node }) => [id, { ...entryOf(node!), node }]));
  const nodesById = Object.fromEntries(firsts.map(({ id }) => [id, plan.nodesById[id]!]));
  const words = groups.length < Object.keys(plan.nodesById).length ? 'none' : 'rest';
  const { entries } = outlineOf({ ...plan, nodesById }, { words });
  return new Map(firsts.map(({ id, node }) => [id, { ...entries.get(id)!, ...factsOf(node), node }]));
}

/** How a node stands, beside what its plan says. Time that runs is counted by the browser. */
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
 * Each node by itself; of more than 60 nodes at most 30 groups: those with equal work in an equal state, as far from the
 * first work. Where these are too many, wherever they stand, and at last by state alone.
 */
export function groupsOf(entries: readonly Entry[]): readonly Group[] {
  if (entries.length <= SHOWN.nodes) return joined(entries.map((one) => [one]));
  const effects = entries.filter(({ effect = 'read', standing }) => effect !== 'read' && standing !== 'failed');
  const alone = new Set(effects.length > SHOWN.effects ? [] : effects);
  const ranks = ranksOf(entries);
  const stateOf = ({ standing, effect }: Entry) => `${standing} ${effect}`;
  const workOf = (one: Entry) => `${stateOf(one)} ${one.operator ?? one.node?.executor}`;
  const keys = [(one: Entry) => `${workOf(one)} ${ranks.get(one.id)}`, workOf, stateOf];
  for (const keyOf of keys) {
    const groups = gather(entries, (one) => (alone.has(one) ? one.id : keyOf(one)));
    if (groups.length <= SHOWN.groups) return joined(groups);
  }
  return joined(gather(entries, stateOf));
}

/** Steps from the first work to each node. */
export function ranksOf(entries: readonly Pick<Entry, 'id' | 'takes'>[]): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (const { id, takes } of entries)
    ranks.set(
      id,
      takes.reduce((most, one) => Math.max(most, (ranks.get(one) ?? 0) + 1), 0),
    );
  return ranks;
}

/** Those of one key together, in the order of the first of each. */
export function gather<One>(entries: readonly One[], keyOf: (one: One) => string): readonly (readonly One[])[] {
  const groups = new Map<string, One[]>();
  for (const one of entries) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return [...groups.values()];
}

/** The groups with what they take of each other. */
function joined(groups: readonly (readonly Entry[])[]): readonly Group[] {
  const firsts = new Map<string, string>();
  for (const group of groups) for (const { id } of group) firsts.set(id, group[0]!.id);
  return groups.map((entries) => {
    const { id } = entries[0]!;
    const takes = new Set<string>();
    for (const one of entries) for (const taken of one.takes) takes.add(firsts.get(taken) ?? id);
    takes.delete(id);
    return { id, entries, takes: [...takes] };
  });
}
