/** A plan as a text tree. */

import { oneLine } from '../../text/index.ts';
import { walk } from '../../outline/index.ts';
import { ownDisplayName } from './display-name.ts';
import { nodeSentence } from './node-sentence.ts';
import type { CompiledPlan, NodeId, PlanNode } from '../compiled-plan.ts';

export interface TreeLine {
  readonly id: NodeId;
  /** Levels below the root, which has 0. */
  readonly depth: number;
  /** The text before the node, such as `│  └─ `. */
  readonly prefix: string;
  readonly node: PlanNode;
  /** True when an earlier line has the node and the nodes below it. */
  readonly seen: boolean;
}

export interface TreeOptions {
  /** The text of a node after its id. Default: its display name, where it has one of its own, and its sentence. */
  readonly text?: (node: PlanNode) => string;
}

/** Indentation beyond these columns is cut on the left: a deep chain is else quadratic in its length. */
const MAX_COLUMNS = 120;

/**
 * The plan as a text tree, root first, one line per node; a node that is used again is `(see node_3)` there.
 *
 * @example renderTree(plan, { text: nodeSummary }); // 'node_3: Union\n├─ node_1: Find genes\n└─ node_2: ...'
 */
export function renderTree(plan: CompiledPlan, options: TreeOptions = {}): string {
  const text = options.text ?? ((node) => fullText(node, plan));
  return treeLines(plan)
    .map(({ id, prefix, node, seen }) => (seen ? `${prefix}(see ${id})` : `${prefix}${id}: ${text(node)}`))
    .join('\n');
}

/**
 * The lines of `renderTree`, so that something can be put beside each.
 *
 * @example treeLines(plan).map(({ id, prefix }) => `${prefix}${id} ${states[id]}`);
 */
export function treeLines(plan: Pick<CompiledPlan, 'root' | 'nodesById'>): readonly TreeLine[] {
  const takes = (id: NodeId) => {
    const node = plan.nodesById[id]!;
    return node.kind === 'task' ? node.dependsOn : node.inputs;
  };
  return walk([plan.root], takes, MAX_COLUMNS).map((place) => ({ ...place, node: plan.nodesById[place.id]! }));
}

function fullText(node: PlanNode, plan: CompiledPlan): string {
  const sentence = nodeSentence(node, plan);
  const name = ownDisplayName(node);
  return name === undefined ? sentence : `[${oneLine(name)}] ${sentence}`;
}
