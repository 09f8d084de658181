/**
 * A compiled plan in the form in which a model writes one: a model that is to change a plan is shown it as it would
 * write it.
 */

import {
  OPERATORS,
  stepsDocument,
  type CombineNode,
  type CompiledPlan,
  type TaskNode,
  type WrittenStep,
} from '../../language/plan/index.ts';

/** The two shapes of a plan. A revision keeps that of its base, since a node of the other shape is another node. */
export type PlanForm = 'tree' | 'steps';

export function formOf(plan: CompiledPlan): PlanForm {
  return stepsDocument(plan) === undefined ? 'tree' : 'steps';
}

/**
 * The plan as the JSON of a flat list, one node a line. Read again it is the same plan.
 * @example writeNodes(plan); // '{"nodes":[\n{"id":"node_1","task":"Find genes","capability":"search"}\n]}'
 */
export function writeNodes(plan: CompiledPlan): string {
  const steps = stepsDocument(plan);
  const nodes =
    steps === undefined
      ? Object.values(plan.nodesById).map((node) => (node.kind === 'task' ? taskNode(node) : combineNode(node)))
      : steps.steps.map(stepNode);
  const { complexity, estimated_time: estimate } = steps ?? {};
  const facts = {
    ...(complexity !== undefined && { complexity }),
    ...(estimate !== undefined && { estimated_time: estimate }),
  };
  const head = JSON.stringify(facts).slice(1, -1);
  return `{${head}${head === '' ? '' : ','}"nodes":[\n${nodes.map((node) => JSON.stringify(node)).join(',\n')}\n]}`;
}

function taskNode({
  id,
  task,
  hint,
  context,
  capability,
  agent,
  arguments: args,
  displayName,
  dependsOn,
}: TaskNode): object {
  return {
    id,
    task,
    ...(capability !== undefined && { capability }),
    ...(agent !== undefined && { agent }),
    ...(args !== undefined && { arguments: args }),
    ...(hint !== undefined && { hint }),
    ...(context !== undefined && { context }),
    ...(displayName !== undefined && { display_name: displayName }),
    ...(dependsOn.length > 0 && { inputs: dependsOn }),
  };
}

function combineNode({ id, operator, inputs, displayName, colocate }: CombineNode): object {
  const isDefault = displayName === OPERATORS[operator].defaultName(...inputs, colocate);
  const base = { id, operator, inputs, ...(!isDefault && { display_name: displayName }) };
  if (colocate === undefined) return base;
  const { upstream, downstream, ...rest } = colocate;
  // With regions there is no window.
  return { ...base, colocate: colocate.left === undefined ? { upstream, downstream, ...rest } : rest };
}

function stepNode({ context_key: id, task_objective: task, description, parameters, ...rest }: WrittenStep): object {
  return {
    id,
    task,
    ...rest,
    ...(description !== undefined && { hint: description }),
    ...(parameters !== undefined && { arguments: parameters }),
  };
}
