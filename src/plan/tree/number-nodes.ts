import { combineKey, taskKey, withMeaning } from '../digest/index.ts';
import { nodeId } from '../node-id.ts';
import { pathOf } from '../issues/index.ts';
import { factsOf } from '../operators/index.ts';
import type { Executor } from '../catalogue.ts';
import type { CombineNode, NodeId, PlanNode, TaskNode } from '../compiled-plan.ts';
import type { IssueList } from '../issues/index.ts';
import type { CombineDraft, NodeDraft, TaskDraft, TaskFields } from '../plan-reading.ts';

export interface NumberedNodes {
  readonly nodes: readonly PlanNode[];
  readonly executors: { readonly [id: NodeId]: Executor };
}

/** Turns a tree of drafts into nodes, dependencies first. Merges a draft into an earlier node with the same key. */
export function numberNodes(
  root: NodeDraft,
  executorOf: ReadonlyMap<NodeDraft | TaskFields, Executor>,
  issues: IssueList,
): NumberedNodes {
  const nodes: PlanNode[] = [];
  const firsts: NodeDraft[] = [];
  const indexByKey = new Map<string, number>();
  const executors: { [id: NodeId]: Executor } = {};
  numbered(root);
  return { nodes, executors };

  function numbered(draft: NodeDraft): PlanNode {
    const one = draft.kind === 'task' ? draft.input : draft.left;
    const other = draft.kind === 'task' ? undefined : draft.right;
    const first = one && numbered(one);
    const second = other && numbered(other);
    const key =
      draft.kind === 'task'
        ? taskKey(draft, {}, first === undefined ? [] : [first.key])
        : combineKey(draft, first!.key, second!.key);
    const known = indexByKey.get(key);
    if (known !== undefined) {
      noteMerged(draft, nodes[known]!, firsts[known]!);
      return nodes[known]!;
    }
    const id = nodeId(nodes.length);
    const node = draft.kind === 'task' ? taskNode(draft, id, key, first) : combineNode(draft, id, key, first!, second!);
    indexByKey.set(key, nodes.length);
    nodes.push(node);
    firsts.push(draft);
    const executor = executorOf.get(draft);
    if (executor !== undefined) executors[id] = executor;
    return node;
  }

  function noteMerged(draft: NodeDraft, { id, displayName }: PlanNode, earlier: NodeDraft): void {
    issues.add('note', 'merged-node', draft.place, () => {
      const renamed = draft.displayName !== undefined && draft.displayName !== displayName;
      const name = renamed ? ' under the display name of that one' : '';
      return { message: `This node means the same as ${id} at ${pathOf(earlier.place)}; it runs once${name}.` };
    });
  }
}

const NO_IDS: readonly NodeId[] = [];

function taskNode(draft: TaskDraft, id: NodeId, key: string, input: PlanNode | undefined): TaskNode {
  const dependsOn = input === undefined ? NO_IDS : [input.id];
  return withMeaning({ dependsOn, displayName: draft.displayName, id, key, kind: 'task' }, draft, {}) as TaskNode;
}

/** The fields are in canonical order, so hashing the plan needs no sorting. */
function combineNode(draft: CombineDraft, id: NodeId, key: string, left: PlanNode, right: PlanNode): CombineNode {
  const { operator, colocate } = draft;
  const inputs = [left.id, right.id] as const;
  const dependsOn = left === right ? [left.id] : inputs;
  const displayName = draft.displayName ?? factsOf(operator).defaultName(left.id, right.id, colocate);
  const node: CombineNode = { dependsOn, displayName, id, inputs, key, kind: 'combine', operator };
  return colocate === undefined ? node : { colocate, ...node };
}
