import { defaultDisplayName } from './display-name.ts';
import { pathOf } from './json-path.ts';
import { idOfIndex } from './node-id.ts';
import { nodeKey } from './plan-identity.ts';
import type { Executor } from './catalogue.ts';
import type { CombineNode, JsonValue, NodeId, PlanNode, TaskNode } from './compiled-plan.ts';
import type { IssueList } from './issue-list.ts';
import type { CombineDraft, Draft, TaskDraft } from './plan-reading.ts';

export interface NumberedNodes {
  /** In the order of their numbers; the last one is the root. */
  readonly nodes: readonly PlanNode[];
  readonly executors: { readonly [id: NodeId]: Executor };
}

/**
 * Turns drafts, every parent before its children, into nodes `node_1..n`: depth-first post-order, every dependency
 * before its dependents. A draft with the key of an earlier node is that node, with one note.
 */
export function numberNodes(
  drafts: readonly Draft[],
  executorOf: ReadonlyMap<Draft, Executor>,
  issues: IssueList,
): NumberedNodes {
  const nodes: PlanNode[] = [];
  const firsts: Draft[] = [];
  const indexByKey = new Map<string, number>();
  const executors: { [id: NodeId]: Executor } = {};
  // Drafts whose children are not all numbered, with how many are missing; and the nodes of finished children.
  const open: Draft[] = [];
  const missing: number[] = [];
  const finished: PlanNode[] = [];

  for (const draft of drafts) {
    open.push(draft);
    missing.push(draft.arity);
    while (missing.at(-1) === 0) {
      const complete = open.pop()!;
      missing.pop();
      const second = complete.arity === 2 ? finished.pop() : undefined;
      const first = complete.arity === 0 ? undefined : finished.pop();
      finished.push(numbered(complete, first, second));
      if (missing.length > 0) missing[missing.length - 1]!--;
    }
  }
  return { nodes, executors };

  function numbered(draft: Draft, first: PlanNode | undefined, second: PlanNode | undefined): PlanNode {
    const key = nodeKey(draft, first?.key, second?.key);
    const known = indexByKey.get(key);
    if (known !== undefined) {
      noteMerged(draft, nodes[known]!, firsts[known]!);
      return nodes[known]!;
    }
    const id = idOfIndex(nodes.length);
    const node = draft.kind === 'task' ? taskNode(draft, id, key, first) : combineNode(draft, id, key, first!, second!);
    indexByKey.set(key, nodes.length);
    nodes.push(node);
    firsts.push(draft);
    const executor = executorOf.get(draft);
    if (executor !== undefined) executors[id] = executor;
    return node;
  }

  function noteMerged(draft: Draft, { id, displayName }: PlanNode, earlier: Draft): void {
    issues.add(
      'note',
      'merged-node',
      draft.place,
      () => {
        const renamed = draft.displayName !== undefined && draft.displayName !== displayName;
        const name = renamed ? ' under the display name of that one' : '';
        return { message: `This node means the same as ${id} at ${pathOf(earlier.place)}; it runs once${name}.` };
      },
      draft.nodeId,
    );
  }
}

const NO_IDS: readonly NodeId[] = [];

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

function taskNode(draft: TaskDraft, id: NodeId, key: string, input: PlanNode | undefined): TaskNode {
  const node: Partial<Writable<TaskNode>> = {};
  if (draft.agent !== undefined) node.agent = draft.agent;
  if (draft.arguments !== undefined) node.arguments = JSON.parse(draft.arguments) as JsonValue;
  if (draft.capability !== undefined) node.capability = draft.capability;
  if (draft.context !== undefined) node.context = JSON.parse(draft.context) as JsonValue;
  node.dependsOn = input === undefined ? NO_IDS : [input.id];
  if (draft.displayName !== undefined) node.displayName = draft.displayName;
  if (draft.hint !== undefined) node.hint = draft.hint;
  node.id = id;
  node.key = key;
  node.kind = 'task';
  node.task = draft.task;
  return node as TaskNode;
}

function combineNode(draft: CombineDraft, id: NodeId, key: string, left: PlanNode, right: PlanNode): CombineNode {
  const inputs = [left.id, right.id] as const;
  const node: Partial<Writable<CombineNode>> = {};
  if (draft.colocate !== undefined) node.colocate = draft.colocate;
  node.dependsOn = left === right ? [left.id] : inputs;
  node.displayName = draft.displayName ?? defaultDisplayName(draft.operator, left.id, right.id);
  node.id = id;
  node.inputs = inputs;
  node.key = key;
  node.kind = 'combine';
  node.operator = draft.operator;
  return node as CombineNode;
}
