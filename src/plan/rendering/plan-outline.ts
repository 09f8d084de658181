import { oneLine, cutBytes } from '../text/index.ts';
import type { Outline, OutlineEntry } from '../outline/index.ts';
import { ownDisplayName, combinePhrase, nodeSentence, nodeWords } from './node-sentence.ts';
import type { Executor } from '../catalogue.ts';
import type { CompiledPlan, NodeId, PlanNode } from '../compiled-plan.ts';
import { outlineLines } from '../lines/index.ts';

export interface OutlineOptions {
  /** The executors, as the compiler found them. Without executors, no effect is known. */
  readonly executors?: { readonly [id: NodeId]: Executor } | undefined;
  /** The text below each title: what the title omits (`rest`), the whole sentence, or nothing. Default `rest`. */
  readonly words?: 'rest' | 'sentence' | 'none' | undefined;
  /** Returns further facts of a node, such as its state and its result. */
  readonly more?: ((id: NodeId) => Partial<OutlineEntry> | undefined) | undefined;
}

export function outlineOf(plan: CompiledPlan, options: OutlineOptions = {}): Outline {
  const entries = new Map<NodeId, OutlineEntry>();
  for (const node of Object.values(plan.nodesById)) entries.set(node.id, entryOf(node, plan, options));
  return { root: plan.root, entries };
}

/** The title of a node: its display name, or else its task, or else the records that it returns. */
export function nodeTitle(node: PlanNode): string {
  const own = ownDisplayName(node);
  if (own !== undefined) return oneLine(own);
  return oneLine(node.kind === 'task' ? node.task : combinePhrase(node, ...node.inputs));
}

export function identityFields(node: PlanNode): Pick<OutlineEntry, 'id' | 'key' | 'operator'> {
  if (node.kind === 'combine') return { id: node.id, operator: node.operator };
  return { id: node.id, ...(node.contextKey !== undefined && { key: node.contextKey }) };
}

function entryOf(node: PlanNode, plan: CompiledPlan, options: OutlineOptions): OutlineEntry {
  const { executors, words = 'rest', more } = options;
  const title = nodeTitle(node);
  const executor = executors?.[node.id];
  const forms = { rest: () => nodeWords(node, plan, title), sentence: () => nodeSentence(node, plan), none: () => '' };
  return {
    ...identityFields(node),
    title,
    ...(executor !== undefined && { effect: executor.effect }),
    ...(executor?.resource !== undefined && { resource: executor.resource }),
    words: forms[words](),
    takes: node.kind === 'task' ? node.dependsOn : node.inputs,
    ...more?.(node.id),
  };
}

/** Maximum bytes of a title in an activity summary, which Temporal limits. */
const MAX_BYTES = 80;

/** The title of a node in at most 80 bytes of UTF-8. A longer title ends in `…`. */
export function nodeSummary(node: PlanNode): string {
  return cutBytes(nodeTitle(node), MAX_BYTES);
}

/** The options of `renderTree`: the width of a line, and the options of every outline. */
export interface TreeOptions extends OutlineOptions {
  readonly width?: number | undefined;
}

/**
 * Renders a plan as a text tree, the root first. A repeated node is `(see node_3 UNION)`. A plan of steps with keys is
 * a list.
 * @example renderTree(plan, { words: 'none' }); // 'node_3 UNION  every record ...\n├─ node_1  Find genes\n└─ node_2  ...'
 */
export function renderTree(plan: CompiledPlan, { width = 100, ...options }: TreeOptions = {}): string {
  return outlineLines(outlineOf(plan, options), { width }).join('\n');
}
