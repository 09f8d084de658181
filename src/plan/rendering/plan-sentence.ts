import { cutCharacters, oneLine } from '../text/index.ts';
import { factsOf } from '../operators/index.ts';
import { ownDisplayName, combinePhrase, executorWords, joined, quoted } from './node-sentence.ts';
import type { CombineNode, CompiledPlan, NodeId, PlanNode } from '../compiled-plan.ts';

/** The most letters that a listener can follow. */
const MAX_NAMED = 12;
const MAX_INPUTS = 8;
/** Characters of a task, including the `…` of a cut one. */
const MAX_TEXT = 121;

/**
 * The answer of a plan as one English sentence that can be read aloud, from the root down, such as `It gives every
 * record of A that is not in "Read the repeats", where A is the result of "Find genes", given B; and B is ...`. Tasks
 * without inputs are quoted; steps go by their context key, other nodes by a letter. In a large plan it explains the 12
 * names nearest to the root and says how many nodes it leaves out.
 * @example planSentence(plan); // 'It gives every record that is in "Find genes" or in "Find proteins".'
 */
export function planSentence(plan: Pick<CompiledPlan, 'root' | 'nodesById'>): string {
  const names = new Map<NodeId, string>();
  const told = new Set<NodeId>([plan.root]);
  const unexplained = new Set<NodeId>();
  const gives = phraseOf(plan.nodesById[plan.root]!);
  const clauses: string[] = [];
  // A Map iterates over entries that are added meanwhile.
  for (const [id, name] of names)
    clauses.push(`${name}${ownName(plan.nodesById[id]!)} is ${phraseOf(plan.nodesById[id]!)}`);
  const where = clauses.length < 2 ? clauses.join('') : `${clauses.slice(0, -1).join('; ')}; and ${clauses.at(-1)}`;
  return `It gives ${gives}${where === '' ? '' : `, where ${where}`}.${restSentence()}`;

  function phraseOf(node: PlanNode): string {
    if (node.kind === 'combine') {
      // Letters follow the order of reading.
      const [left, right] = node.inputs;
      if (!keepsRight(node)) return combinePhrase(node, mention(left), mention(right));
      const kept = mention(right);
      return combinePhrase(node, mention(left), kept);
    }
    const given = node.dependsOn.slice(0, MAX_INPUTS).map(mention);
    const more = node.dependsOn.length - given.length;
    if (more > 0) given.push(`${more} other results`);
    return `the result of ${taskWords(node.task)}${executorWords(node)}${given.length === 0 ? '' : `, given ${joined(given)}`}`;
  }

  function mention(id: NodeId): string {
    const node = plan.nodesById[id]!;
    const known = names.get(id);
    if (known !== undefined) return known;
    const contextKey = node.kind === 'task' ? node.contextKey : undefined;
    if (node.kind === 'task' && contextKey === undefined && node.dependsOn.length === 0) {
      told.add(id);
      return taskWords(node.task);
    }
    if (names.size >= MAX_NAMED) {
      unexplained.add(id);
      return id;
    }
    const name = contextKey === undefined ? freeLetter() : quoted(contextKey);
    names.set(id, name);
    told.add(id);
    return name;
  }

  function freeLetter(): string {
    return String.fromCodePoint('A'.codePointAt(0)! + names.size);
  }

  function restSentence(): string {
    if (unexplained.size === 0) return '';
    const rest = Object.keys(plan.nodesById).length - told.size;
    return ` ${rest === 1 ? 'One node is' : `${rest} nodes are`} left out here; the tree shows all of them.`;
  }
}

function taskWords(task: string): string {
  return `"${cutCharacters(oneLine(task), MAX_TEXT)}"`;
}

function keepsRight({ operator, colocate }: CombineNode): boolean {
  const { keptSide } = factsOf(operator);
  return (keptSide === 'output' ? colocate?.output : keptSide) === 'right';
}

function ownName(node: PlanNode): string {
  const name = ownDisplayName(node);
  return name === undefined ? '' : ` (${quoted(name)})`;
}
