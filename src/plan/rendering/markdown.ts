import { oneLine } from '../text/index.ts';
import { renderMermaid } from './mermaid.ts';
import { nodeSentence } from './node-sentence.ts';
import { planSentence } from './plan-sentence.ts';
import { renderTree } from './plan-outline.ts';
import type { Executor } from '../catalogue.ts';
import type { CompiledPlan, NodeId, PlanNode } from '../compiled-plan.ts';
import type { MermaidOptions } from './mermaid.ts';

/** The options of `renderMarkdown`: the executors to name, and whether to draw the diagram. */
export interface MarkdownOptions extends MermaidOptions {
  /** The executors from the compiler; without them the page has the names in the plan. */
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
 * The plan as a Markdown page (GitHub's): the goal as its title, the plan as a sentence, as a tree, and as a table of
 * its nodes. No text of the plan can become markup.
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

/**
 * The executor of a node from the compiler, else the name in the plan.
 * @example executorOf(node, executors); // { executor: 'capability search@2', effect: 'read' }
 */
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
 * A backslash before ASCII punctuation takes its meaning away (CommonMark: backslash escapes). An underscore inside a
 * word has none; a colon makes a link of an address. GitHub finds mentions in the rendered text, so only an entity
 * breaks them up.
 */
export function escapeText(text: string): string {
  return oneLine(text)
    .replace(/[\\`*[\]<>#|~&!$]|:(?=\/\/)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replace(/@(?!\d)/g, '&#64;');
}
