import {
  stepsDocument,
  writtenNode,
  type CompiledPlan,
  type PlanNode,
  type WrittenStep,
  type PlanIssue,
} from '../../plan/index.ts';
import { quote } from '../../plan/text/index.ts';

const MAX_NAME = 300;

/** Returns the longest known name at the end of a dotted name, or else the name unchanged. */
export function withoutNamespace(name: string, isKnown: (name: string) => boolean): string {
  const parts = name.slice(0, MAX_NAME).split('.');
  return parts.map((_, at) => parts.slice(at).join('.')).find(isKnown) ?? name;
}

/** Changes the names of capabilities in a model's plan to known names. Each change gives a warning. */
export function withKnownNames<Plan>(plan: Plan, capabilities: readonly { readonly name: string }[]) {
  const known = new Set(capabilities.map(({ name }) => name));
  const changed: PlanIssue[] = [];
  const written = JSON.stringify(plan, (key, value: unknown) => {
    if (key !== 'capability' || typeof value !== 'string') return value;
    const name = withoutNamespace(value, (one) => known.has(one));
    const message = `There is no capability ${quote(value)}; it is read as ${quote(name)}.`;
    if (name !== value) changed.push({ code: 'repaired-syntax', severity: 'warning', path: '$', message });
    return name;
  });
  return { plan: JSON.parse(written) as Plan, changed };
}

/** The shapes of a plan. A revision has the shape of its base, since a step never equals a node of a tree. */
export type WrittenForm = 'tree' | 'steps';

export function writtenFormOf(plan: CompiledPlan): WrittenForm {
  return stepsDocument(plan) === undefined ? 'tree' : 'steps';
}

/** Writes a plan as the JSON of a flat list, one node per line. Reading the list gives the same plan. */
export function writeNodes(plan: CompiledPlan): string {
  const steps = stepsDocument(plan);
  const nodes = steps === undefined ? Object.values(plan.nodesById).map(nodeOf) : steps.steps.map(stepNode);
  const { complexity, estimated_time: estimate } = steps ?? {};
  const facts = {
    ...(complexity !== undefined && { complexity }),
    ...(estimate !== undefined && { estimated_time: estimate }),
  };
  const head = JSON.stringify(facts).slice(1, -1);
  return `{${head}${head === '' ? '' : ','}"nodes":[\n${nodes.map((node) => JSON.stringify(node)).join(',\n')}\n]}`;
}

function nodeOf(node: PlanNode): object {
  const inputs = node.kind === 'task' ? node.dependsOn : node.inputs;
  const { operator, ...fields } = writtenNode(node);
  if (operator !== undefined) return { id: node.id, operator, inputs, ...fields };
  return { id: node.id, ...fields, ...(inputs.length > 0 && { inputs }) };
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
