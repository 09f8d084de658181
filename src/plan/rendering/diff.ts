import { canonicalJson, lacksContext, withoutContext } from '../digest/index.ts';
import { ownDisplayName } from './node-sentence.ts';
import type { CompiledPlan, JsonValue, NodeId, PlanNode } from '../compiled-plan.ts';

/**
 * The changes between two plans. Every node of `before` is in exactly one of `removed`, `changed`, `moved` and
 * `reused`; every node of `after` is in exactly one of `added`, `changed`, `moved` and `reused`.
 */
export interface PlanDiff {
  /** Whether both plans have the same digest. */
  readonly same: boolean;
  /** Set if only one of the plans was compiled with its context values. The values are then not compared. */
  readonly withoutContext?: true;
  readonly fields: readonly ('goal' | 'complexity' | 'estimatedMinutes' | 'external')[];
  readonly added: readonly NodeId[];
  /** Ids in `before` of removed nodes. Their place no longer exists, or has a node from another place. */
  readonly removed: readonly NodeId[];
  /** Pairs of nodes that are at the same place but have different meanings. */
  readonly changed: readonly ChangedNode[];
  /** Nodes of `before` whose result goes to other nodes in `after`. The nodes below a moved node are in `reused`. */
  readonly moved: readonly NodePair[];
  /** Pairs of nodes that have the same key and the same place. */
  readonly reused: readonly NodePair[];
  /** Moved and reused nodes with another display name. */
  readonly renamed: readonly NodePair[];
}

/** Two corresponding nodes, by their ids in the plans `before` and `after`. */
export interface NodePair {
  readonly before: NodeId;
  readonly after: NodeId;
}

/** Two nodes at the same place of two plans that have different meanings. */
export interface ChangedNode extends NodePair {
  readonly own: boolean;
}

/**
 * Compares two plans by the keys of their nodes, in linear time. Two nodes have the same place if both are roots, both
 * are steps with the same context key, or both are the same operand or input of two nodes at the same place.
 * @example diffPlans(before, after).changed; // [{ before: 'node_2', after: 'node_2', own: true }]
 */
export function diffPlans(left: CompiledPlan, right: CompiledPlan): PlanDiff {
  const isWithout = lacksContext(left) !== lacksContext(right);
  const [before, after] = isWithout ? [withoutContext(left), withoutContext(right)] : [left, right];
  const old = indexOf(before);
  const now = indexOf(after);
  const pairedOld = new Map<NodeId, NodeId>();
  const pairedNow = new Map<NodeId, NodeId>();
  const inPlace = new Set<NodeId>();
  const waiting = startingPairs(before, after);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [was, is] = next;
    if (was.key === is.key) inPlace.add(is.id);
    if (now.byKey.has(was.key) || old.byKey.has(is.key)) continue;
    if (pairedOld.has(was.id) || pairedNow.has(is.id)) continue;
    pairedOld.set(was.id, is.id);
    pairedNow.set(is.id, was.id);
    for (const pair of childPairs(was, is, before, after)) waiting.push(pair);
  }

  const added: NodeId[] = [];
  const changed: ChangedNode[] = [];
  const moved: NodePair[] = [];
  const reused: NodePair[] = [];
  const renamed: NodePair[] = [];
  for (const node of now.nodes) {
    const earlier = old.byKey.get(node.key);
    const paired = pairedNow.get(node.id);
    if (earlier !== undefined) {
      const pair = { before: earlier.id, after: node.id };
      (inPlace.has(node.id) || comesAlong(node) ? reused : moved).push(pair);
      if (ownDisplayName(earlier) !== ownDisplayName(node)) renamed.push(pair);
    } else if (paired === undefined) added.push(node.id);
    else changed.push({ before: paired, after: node.id, own: saysElse(before.nodesById[paired]!, node) });
  }
  const removed = old.nodes.filter(({ id, key }) => !now.byKey.has(key) && !pairedOld.has(id)).map(({ id }) => id);
  return {
    same: before.digest === after.digest,
    ...(isWithout && { withoutContext: true as const }),
    fields: differingFields(before, after),
    added,
    removed,
    changed,
    moved,
    reused,
    renamed,
  };

  // Equal nodes have equal inputs, so if a user of this result is in both plans, this node has the same place.
  function comesAlong({ id }: PlanNode): boolean {
    return after.dependents[id]!.some((user) => old.byKey.has(after.nodesById[user]!.key));
  }
}

interface Index {
  readonly nodes: readonly PlanNode[];
  readonly byKey: ReadonlyMap<string, PlanNode>;
}

function indexOf(plan: CompiledPlan): Index {
  const nodes = Object.values(plan.nodesById);
  return { nodes, byKey: new Map(nodes.map((node) => [node.key, node])) };
}

type Pair = readonly [PlanNode, PlanNode];

/** The pair of roots, then the pairs of steps with the same key. The last pair is visited first. */
function startingPairs(before: CompiledPlan, after: CompiledPlan): Pair[] {
  const steps = new Map(
    before.tasks.flatMap((task) => (task.contextKey === undefined ? [] : [[task.contextKey, task]])),
  );
  const pairs: Pair[] = [[before.nodesById[before.root]!, after.nodesById[after.root]!]];
  for (const task of after.tasks) {
    const step = task.contextKey === undefined ? undefined : steps.get(task.contextKey);
    if (step !== undefined) pairs.push([step, task]);
  }
  return pairs;
}

function childPairs(left: PlanNode, right: PlanNode, before: CompiledPlan, after: CompiledPlan): Pair[] {
  if (left.kind !== right.kind) return [];
  const lefts = inputsOfNode(left);
  const rights = inputsOfNode(right);
  const pairs: Pair[] = [];
  for (let at = 0; at < Math.min(lefts.length, rights.length); at++) {
    const pair: Pair = [before.nodesById[lefts[at]!]!, after.nodesById[rights[at]!]!];
    if (!pair.some(isStep)) pairs.push(pair);
  }
  return pairs;
}

function saysElse(one: PlanNode, other: PlanNode): boolean {
  return canonicalJson(ownFields(one)) !== canonicalJson(ownFields(other));
}

function inputsOfNode(node: PlanNode): readonly NodeId[] {
  return node.kind === 'task' ? node.dependsOn : node.inputs;
}

function isStep(node: PlanNode): boolean {
  return node.kind === 'task' && node.contextKey !== undefined;
}

/** The fields of a node without its id, key, display name and inputs. */
export function ownFields(node: PlanNode): JsonValue {
  const { id: _id, key: _key, displayName: _displayName, dependsOn: _dependsOn, ...fields } = node;
  return JSON.parse(JSON.stringify({ ...fields, inputs: undefined })) as JsonValue;
}

function differingFields(before: CompiledPlan, after: CompiledPlan): PlanDiff['fields'] {
  return (['goal', 'complexity', 'estimatedMinutes', 'external'] as const).filter(
    (field) => canonicalJson(before[field] ?? null) !== canonicalJson(after[field] ?? null),
  );
}
