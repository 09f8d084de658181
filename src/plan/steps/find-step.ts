import type { CompiledPlan, NodeId, StoredPlan, TaskNode, PlanNode } from '../compiled-plan.ts';
import { nodeIndex } from '../node-id.ts';
import type { Effect } from '../catalogue.ts';
import { quote } from '../text/index.ts';
import { readForeignKeys, type ForeignKeys } from '../foreign-keys.ts';
import { didYouMean } from '../issues/index.ts';
import { NAMES, keysOf } from '../names.ts';
import type { NodeSource, Reading } from '../plan-reading.ts';

/** The text fields of a step besides its objective: keys in a document, with fields of the task. */
export const STEP_TEXTS = (['action', 'description', 'expectedOutput', 'successCriteria', 'undoes'] as const).map(
  (field) => [NAMES.step[field].keys[0], field] as const,
);

const STEP_KEYS = keysOf('step');

export function isStepKey(key: string): boolean {
  return STEP_KEYS.includes(key);
}

export function readStepKeys({ node, place }: NodeSource, position: number, reading: Reading): ForeignKeys {
  const keys = Object.keys(node).filter((key) => !isStepKey(key));
  if (keys.length === 0) return { source: { node, place } };
  return readForeignKeys({ node, place }, 'step', keys, reading, {
    ownId: node['context_key'] ?? node['step_id'] ?? node['id'] ?? node['step'] ?? position,
    position,
    unread: (key) =>
      `A step has no key ${quote(key)}; it is not read.${didYouMean(key, STEP_KEYS)} If the step needs it, put it into "parameters".`,
  });
}

/** Whether a plan is an ordered list of steps: its root, the last step, then has a context key. */
export function isOrdered({ root, tasks }: Pick<StoredPlan, 'root' | 'tasks'>): boolean {
  const last = tasks.at(-1);
  return last?.id === root && last.contextKey !== undefined;
}

/** Finds the step of `result_from_step_N`: that with the key N, or else that at position N, counted from 1. */
export function referencedStep(plan: StoredPlan, name: string): NodeId | undefined {
  if (!isOrdered(plan)) return undefined;
  const step = plan.tasks.find(({ contextKey }) => contextKey === name);
  if (step !== undefined) return step.id;
  return /^[1-9]\d{0,8}$/.test(name) ? plan.tasks[Number(name) - 1]?.id : undefined;
}

/**
 * The step with this key or `step_id`, or else the task with this node id (Calute: get_step).
 * @example stepById(plan, 'genes')?.task; // 'Find genes'
 */
export function stepById(plan: CompiledPlan, id: string | number): TaskNode | undefined {
  const name = String(id);
  const step = plan.tasks.find(({ contextKey }) => contextKey === name);
  if (step !== undefined) return step;
  const node = Object.hasOwn(plan.nodesById, name) ? plan.nodesById[name] : undefined;
  return node?.kind === 'task' ? node : undefined;
}

/**
 * The nodes that are not completed, but whose dependencies are, in plan order (Calute: get_next_steps). `completed` has
 * keys of steps or node ids. Without `effectOf`, every step counts as a read; with it, effects stay in the order of the
 * list. Approvals, resources and limits of a run are ignored.
 * @example
 * const { plan, executors } = compiled;
 * readySteps(plan, ['genes'], ({ id }) => executors[id]!.effect).map(({ id }) => id); // ['node_2']
 */
export function readySteps(
  plan: CompiledPlan,
  completed: Iterable<string | number>,
  effectOf: (step: TaskNode) => Effect = () => 'read',
): readonly PlanNode[] {
  const done = new Set<NodeId>();
  const idByKey = new Map(plan.tasks.map(({ contextKey, id }) => [contextKey ?? id, id]));
  for (const each of completed) done.add(idByKey.get(String(each)) ?? String(each));
  const after = effectOrder(plan, effectOf);
  const nodes = [...plan.tasks, ...plan.combines].sort((one, other) => nodeIndex(one.id) - nodeIndex(other.id));
  return nodes.filter(
    ({ id, dependsOn }) => !done.has(id) && [...dependsOn, ...(after[id] ?? [])].every((before) => done.has(before)),
  );
}

/**
 * For each step, the steps that it waits for besides its inputs, since effects stay in the order of the list. An effect
 * waits for the nearest earlier effect and every read between them. Reads wait only for their inputs. Trees have no
 * such order.
 */
export function effectOrder(
  plan: StoredPlan,
  effectOf: (step: TaskNode) => Effect,
): Readonly<Record<NodeId, readonly NodeId[]>> {
  const after: Record<NodeId, readonly NodeId[]> = {};
  if (!isOrdered(plan)) return after;
  let since: NodeId[] = [];
  for (const step of plan.tasks) {
    if (effectOf(step) !== 'read') {
      const inputs = new Set(step.dependsOn);
      const others = since.filter((id) => !inputs.has(id));
      if (others.length > 0) after[step.id] = others;
      since = [];
    }
    since.push(step.id);
  }
  return after;
}
