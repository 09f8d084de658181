/** A plan as a text tree. */

import { oneLine } from '../../text/index.ts';
import { ownDisplayName } from './display-name.ts';
import { nodeSentence } from './node-sentence.ts';
import type { CompiledPlan, NodeId, PlanNode } from '../compiled-plan.ts';

export interface TreeLine {
  readonly id: NodeId;
  /** Levels below the root, which has 0. */
  readonly depth: number;
  /** What stands before the node, such as `│  └─ `. */
  readonly prefix: string;
  readonly node: PlanNode;
  /** True when an earlier line has the node and what is below it. */
  readonly seen: boolean;
}

export interface TreeOptions {
  /** What is said of a node after its id. Default: its display name, where it has one of its own, and its sentence. */
  readonly text?: (node: PlanNode) => string;
}

/** Indentation beyond these columns is cut on the left: a deep chain is else quadratic in its length. */
const MAX_COLUMNS = 120;
const CUT = '… ';

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
  const lines: TreeLine[] = [];
  const shown = new Set<NodeId>();
  const waiting: Waiting[] = [{ id: plan.root, depth: 0, indent: '', branch: '' }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { id, depth, indent, branch } = next;
    const node = plan.nodesById[id]!;
    const seen = shown.has(id);
    shown.add(id);
    lines.push({ id, depth, prefix: indent + branch, node, seen });
    if (seen) continue;
    const children = node.kind === 'task' ? node.dependsOn : node.inputs;
    const below = branch === '' ? '' : cut(indent + (branch === LAST ? '   ' : '│  '));
    for (let index = children.length - 1; index >= 0; index--) {
      const last = index === children.length - 1;
      waiting.push({ id: children[index]!, depth: depth + 1, indent: below, branch: last ? LAST : '├─ ' });
    }
  }
  return lines;
}

const LAST = '└─ ';

interface Waiting {
  readonly id: NodeId;
  readonly depth: number;
  readonly indent: string;
  readonly branch: string;
}

function cut(indent: string): string {
  return indent.length <= MAX_COLUMNS ? indent : CUT + indent.slice(indent.length - MAX_COLUMNS + CUT.length);
}

function fullText(node: PlanNode, plan: CompiledPlan): string {
  const sentence = nodeSentence(node, plan);
  const name = ownDisplayName(node);
  return name === undefined ? sentence : `[${oneLine(name)}] ${sentence}`;
}
