import { oneLine, cutCharacters } from '../text/index.ts';
import { renderMermaid, type MermaidOptions } from './mermaid.ts';
import { nodeSentence, ownDisplayName, combinePhrase, executorWords, joined, quoted } from './node-sentence.ts';
import { renderTree } from './plan-outline.ts';
import type { Executor } from '../catalogue.ts';
import type { CompiledPlan, NodeId, PlanNode, CombineNode } from '../compiled-plan.ts';
import { factsOf } from '../operators/index.ts';

const MAX_NAMED = 12;
const MAX_INPUTS = 8;
const MAX_TEXT = 121;

/**
 * Describes the result of a plan in one English sentence that can be read aloud, such as `It gives every record of A
 * that is not in "Read the repeats", where A is the result of "Find genes", given B; and B is ...`. Steps have their
 * context key, other nodes a letter. In a large plan, the sentence explains the 12 names nearest to the root and counts
 * the nodes that it leaves out.
 * @example planSentence(plan); // 'It gives every record that is in "Find genes" or in "Find proteins".'
 */
export function planSentence(plan: Pick<CompiledPlan, 'root' | 'nodesById'>): string {
  const names = new Map<NodeId, string>();
  const mentioned = new Set<NodeId>([plan.root]);
  const unexplained = new Set<NodeId>();
  const gives = phraseOf(plan.nodesById[plan.root]!);
  const clauses: string[] = [];
  for (const [id, name] of names)
    clauses.push(`${name}${ownName(plan.nodesById[id]!)} is ${phraseOf(plan.nodesById[id]!)}`);
  const where = clauses.length < 2 ? clauses.join('') : `${clauses.slice(0, -1).join('; ')}; and ${clauses.at(-1)}`;
  return `It gives ${gives}${where === '' ? '' : `, where ${where}`}.${restSentence()}`;

  function phraseOf(node: PlanNode): string {
    if (node.kind === 'combine') {
      // Letters follow the order of reading, so the side that is named first has its letter first.
      const [left, right] = node.inputs;
      if (!keepsRight(node)) return combinePhrase(node, mention(left), mention(right));
      const second = mention(right);
      return combinePhrase(node, mention(left), second);
    }
    const inputs = node.dependsOn.slice(0, MAX_INPUTS).map(mention);
    const more = node.dependsOn.length - inputs.length;
    if (more > 0) inputs.push(`${more} other results`);
    return `the result of ${taskWords(node.task)}${executorWords(node)}${inputs.length === 0 ? '' : `, given ${joined(inputs)}`}`;
  }

  function mention(id: NodeId): string {
    const node = plan.nodesById[id]!;
    const known = names.get(id);
    if (known !== undefined) return known;
    const contextKey = node.kind === 'task' ? node.contextKey : undefined;
    if (node.kind === 'task' && contextKey === undefined && node.dependsOn.length === 0) {
      mentioned.add(id);
      return taskWords(node.task);
    }
    if (names.size >= MAX_NAMED) {
      unexplained.add(id);
      return id;
    }
    const name = contextKey === undefined ? freeLetter() : quoted(contextKey);
    names.set(id, name);
    mentioned.add(id);
    return name;
  }

  function freeLetter(): string {
    return String.fromCodePoint('A'.codePointAt(0)! + names.size);
  }

  function restSentence(): string {
    if (unexplained.size === 0) return '';
    const rest = Object.keys(plan.nodesById).length - mentioned.size;
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

/** The options of `renderMarkdown`: the executors to name, and whether to add the diagram. */
export interface MarkdownOptions extends MermaidOptions {
  /** The executors, as the compiler found them. Without executors, the page has the names in the plan. */
  readonly executors?: { readonly [id: NodeId]: Executor } | undefined;
  /** Adds the Mermaid diagram at the end. Default false. */
  readonly mermaid?: boolean | undefined;
}

/** The executor of a node, and its effect if known. */
export interface ExecutorWords {
  readonly executor: string;
  readonly effect?: string;
  readonly resource?: string;
}

/**
 * Renders a plan as a page in GitHub's Markdown: its goal, the plan as a sentence and as a tree, and a table of its
 * nodes. No text of the plan can act as Markdown.
 * @example writeFileSync('plan.md', renderMarkdown(plan, { executors, mermaid: true }));
 */
export function renderMarkdown(plan: CompiledPlan, options: MarkdownOptions = {}): string {
  const parts = [
    `# ${escapeText(plan.goal)}`,
    escapeText(planSentence(plan)),
    fenced(renderTree(plan, options.executors === undefined ? {} : { executors: options.executors }), 'text'),
    nodeTable(plan, options),
    `Digest: \`${plan.digest}\``,
    ...(options.mermaid === true ? [fenced(renderMermaid(plan, options), 'mermaid')] : []),
  ];
  return `${parts.join('\n\n')}\n`;
}

function executorOf(node: PlanNode, executors: MarkdownOptions['executors']): ExecutorWords {
  if (node.kind === 'combine') return { executor: `operator ${node.operator}`, effect: 'read' };
  const resolved = executors?.[node.id];
  if (resolved !== undefined) {
    return {
      executor: `${resolved.kind} ${resolved.name}@${resolved.version}`,
      effect: resolved.effect,
      ...(resolved.resource !== undefined && { resource: resolved.resource }),
    };
  }
  if (node.capability !== undefined) return { executor: `capability ${node.capability}` };
  return { executor: node.agent === undefined ? 'not chosen yet' : `agent ${node.agent}` };
}

function nodeTable(plan: CompiledPlan, { executors, states }: MarkdownOptions): string {
  const titles = ['node', 'what', 'executor', 'effect', ...(states === undefined ? [] : ['state'])];
  const rows = Object.values(plan.nodesById).map((node) => {
    const { executor, effect = 'unknown', resource } = executorOf(node, executors);
    const does = resource === undefined ? effect : `${effect} on ${escapeText(resource)}`;
    const cells = [node.id, escapeText(nodeSentence(node, plan)), escapeText(executor), does];
    return row(states === undefined ? cells : [...cells, states[node.id] ?? '']);
  });
  return [row(titles), row(titles.map(() => '---')), ...rows].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/**
 * Escapes a text for Markdown. A backslash makes punctuation literal (CommonMark). An underscore inside a word needs no
 * backslash, but a colon does, since it makes a link. GitHub finds mentions after it has removed backslashes, so `@`
 * becomes an entity.
 */
export function escapeText(text: string): string {
  return oneLine(text)
    .replace(/[\\`*[\]<>#|~&!$]|:(?=\/\/)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replace(/@(?!\d)/g, '&#64;');
}
