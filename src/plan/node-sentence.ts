import { canonicalJson } from './canonical-json.ts';
import { oneLine } from './one-line.ts';
import type { Colocate, CombineNode, CompiledPlan, PlanNode, TaskNode } from './compiled-plan.ts';

/** What a node does, exactly and in full, as one English sentence on one line. */
export function nodeSentence(node: PlanNode, plan: Pick<CompiledPlan, 'nodesById'>): string {
  return node.kind === 'task' ? taskSentence(node, plan) : combineSentence(node);
}

function taskSentence(task: TaskNode, plan: Pick<CompiledPlan, 'nodesById'>): string {
  const given = [
    ...task.dependsOn.map((id) => `the result of ${nameOf(plan.nodesById[id], id)}`),
    ...(task.hint === undefined ? [] : [`the hint ${quoted(task.hint)}`]),
    ...(task.context === undefined ? [] : [`the context ${oneLine(canonicalJson(task.context))}`]),
    ...(task.arguments === undefined ? [] : [`the arguments ${oneLine(canonicalJson(task.arguments))}`]),
  ];
  return `Carry out ${quoted(task.task)}${executorWords(task)}${given.length === 0 ? '' : `, given ${joined(given)}`}.`;
}

/** A capability goes before an agent, as it does when executors are resolved. */
function executorWords({ capability, agent }: TaskNode): string {
  if (capability !== undefined) return ` with the capability ${quoted(capability)}`;
  return agent === undefined ? '' : ` by the agent ${quoted(agent)}`;
}

function nameOf(node: PlanNode | undefined, id: string): string {
  return node?.kind === 'task' && node.contextKey !== undefined ? `${id} (${oneLine(node.contextKey)})` : id;
}

function combineSentence({ operator, inputs: [left, right], colocate }: CombineNode): string {
  switch (operator) {
    case 'UNION':
      return `Keep every record that is in ${left} or in ${right}.`;
    case 'INTERSECT':
      return `Keep every record that is both in ${left} and in ${right}.`;
    case 'MINUS':
      return `Keep every record of ${left} that is not in ${right}.`;
    case 'RMINUS':
      return `Keep every record of ${right} that is not in ${left}.`;
    case 'COLOCATE':
      return colocateSentence(left, right, colocate!);
  }
}

const STRAND_WORDS = { both: 'on either strand', same: 'on the same strand', opposite: 'on the opposite strand' };

/** VEuPathDB WDK: span logic. The window is the left record's, whichever side is kept. */
function colocateSentence(left: string, right: string, { operation, output, strand, ...window }: Colocate): string {
  const onStrand = STRAND_WORDS[strand];
  const plain = window.upstream === 0 && window.downstream === 0;
  if (output === 'left') {
    const verb = { overlap: 'overlaps', contains: 'contains', within: 'lies within' }[operation];
    const subject = plain ? 'that' : `whose window, from ${windowWords(window)} along its own strand,`;
    return `Keep each record of ${left} ${subject} ${verb} a record of ${right} ${onStrand}.`;
  }
  const verb = { overlap: 'overlaps', contains: 'lies within', within: 'contains' }[operation];
  if (plain) return `Keep each record of ${right} that ${verb} a record of ${left} ${onStrand}.`;
  return (
    `Keep each record of ${right} that ${verb} the window of a record of ${left} ${onStrand}, ` +
    `the window going from ${windowWords(window)} along the strand of the record of ${left}.`
  );
}

function windowWords({ upstream, downstream }: Pick<Colocate, 'upstream' | 'downstream'>): string {
  const begin = upstream === 0 ? 'its start' : `${bases(upstream)} upstream of its start`;
  const end = downstream === 0 ? 'its end' : `${bases(downstream)} downstream of its end`;
  return `${begin} to ${end}`;
}

function bases(count: number): string {
  return `${String(count).replace(/\B(?=(?:\d{3})+$)/g, ',')} base${count === 1 ? '' : 's'}`;
}

function quoted(text: string): string {
  return `"${oneLine(text)}"`;
}

function joined(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`;
}
