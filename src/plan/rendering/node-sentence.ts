import { oneLine } from '../text/index.ts';
import { canonicalJson } from '../digest/index.ts';
import { factsOf } from '../operators/index.ts';
import type { CombineNode, CompiledPlan, PlanNode, TaskNode } from '../compiled-plan.ts';

/**
 * Describes the work of a node exactly and in full, on one line.
 * @example nodeSentence(node, plan); // 'Keep every record of node_1 that is not in node_2.'
 */
export function nodeSentence(node: PlanNode, plan: Pick<CompiledPlan, 'nodesById'>): string {
  return node.kind === 'task' ? taskSentence(node, plan) : `Keep ${combinePhrase(node, ...node.inputs)}.`;
}

/** Describes the records that a combine returns, such as `every record of A that is not in B`. */
export function combinePhrase({ operator, colocate }: CombineNode, left: string, right: string): string {
  return factsOf(operator).phrase(left, right, colocate);
}

export function executorWords({ capability, agent }: TaskNode): string {
  if (capability !== undefined) return ` with the capability ${quoted(capability)}`;
  return agent === undefined ? '' : ` by the agent ${quoted(agent)}`;
}

export function joined(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}

export function quoted(text: string): string {
  return `"${oneLine(text)}"`;
}

/** What a node's title omits: the records of a combine, or the text and all inputs of a task. */
export function nodeWords(node: PlanNode, plan: Pick<CompiledPlan, 'nodesById'>, title: string): string {
  if (node.kind === 'combine') {
    const phrase = combinePhrase(node, ...node.inputs);
    return phrase === title ? '' : phrase;
  }
  const task = node.task === title ? [] : [quoted(node.task)];
  return [...task, ...executorPart(node), ...taskDetails(node, plan)].join(', ');
}

function taskSentence(task: TaskNode, plan: Pick<CompiledPlan, 'nodesById'>): string {
  const details = [...taskDetails(task, plan), ...otherText('with the result kept as', task.contextKey)];
  return `${[`Carry out ${quoted(task.task)}${executorWords(task)}`, ...details].join(', ')}.`;
}

function executorPart(task: TaskNode): string[] {
  const words = executorWords(task).trimStart();
  return words === '' ? [] : [words];
}

function taskDetails(task: TaskNode, plan: Pick<CompiledPlan, 'nodesById'>): string[] {
  const inputs = [
    ...inputWords(task, plan),
    ...(task.hint === undefined ? [] : [`the hint ${quoted(task.hint)}`]),
    ...(task.context === undefined ? [] : [`the context ${oneLine(canonicalJson(task.context))}`]),
    ...argumentWords(task),
  ];
  return [
    ...(inputs.length === 0 ? [] : [`given ${joined(inputs)}`]),
    ...otherText('by the action', task.action, task),
    ...otherText('described as', task.description, task),
    ...otherText('to give', task.expectedOutput),
    ...otherText('which succeeds when', task.successCriteria),
    ...otherText('to undo', task.undoes),
  ];
}

function argumentWords(node: PlanNode | undefined): readonly string[] {
  if (node?.kind !== 'task' || node.arguments === undefined) return [];
  return [`the arguments ${oneLine(canonicalJson(node.arguments))}`];
}

function inputWords(task: TaskNode, { nodesById }: Pick<CompiledPlan, 'nodesById'>): string[] {
  const { dependsOn, externalInputs = [], inputTypes = {} } = task;
  const asType = (key: string) => (Object.hasOwn(inputTypes, key) ? ` as ${oneLine(inputTypes[key]!)}` : '');
  const results = dependsOn.map((id) => {
    const node = nodesById[id];
    const key = node?.kind === 'task' ? node.contextKey : undefined;
    return `the result of ${id}${key === undefined ? '' : ` (${oneLine(key)})${asType(key)}`}`;
  });
  const fromContext = externalInputs.map((key) => `${quoted(key)} of the context of the run${asType(key)}`);
  return [...results, ...fromContext];
}

function otherText(before: string, text: string | undefined, task?: TaskNode): string[] {
  return text === undefined || text === task?.task ? [] : [`${before} ${quoted(text)}`];
}

/** The display name that the document gives to a node; undefined if it gives none. */
export function ownDisplayName(node: PlanNode): string | undefined {
  if (node.kind === 'task') return node.displayName;
  const byDefault = factsOf(node.operator).defaultName(...node.inputs, node.colocate);
  return node.displayName === byDefault ? undefined : node.displayName;
}
