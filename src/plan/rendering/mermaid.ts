import { cutCharacters, oneLine } from '../text/index.ts';
import { factsOf } from '../operators/index.ts';
import { ownDisplayName } from './node-sentence.ts';
import type { CompiledPlan, NodeId, PlanNode } from '../compiled-plan.ts';

/** The state of a node in a run. Each state has a colour. */
export type NodeState = keyof typeof STATE_STYLES;

/** The options of `renderMermaid`: the states that colour the nodes. */
export interface MermaidOptions {
  readonly states?: { readonly [id: NodeId]: NodeState } | undefined;
}

/** The limits above which Mermaid does not draw by default: its `maxTextSize` and `maxEdges`. */
export const MERMAID_LIMITS = { characters: 50_000, edges: 500 } as const;

/**
 * Renders a plan as a Mermaid flowchart with an arrow from every input, labelled if the order of operands matters.
 * @example renderMermaid(plan, { states: { node_1: 'succeeded', node_2: 'running' } }); // 'flowchart TD\n  node_1[...'
 */
export function renderMermaid(plan: CompiledPlan, { states = {} }: MermaidOptions = {}): string {
  const nodes = Object.values(plan.nodesById);
  const lines = ['flowchart TD', ...nodes.map(boxLine), ...nodes.flatMap(arrowLines)];
  lines.push(`  class ${plan.root} answer`, '  classDef answer stroke-width:3px');
  for (const [state, style] of Object.entries(STATE_STYLES)) {
    const ids = nodes.filter(({ id }) => states[id] === state).map(({ id }) => id);
    if (ids.length > 0) lines.push(`  class ${ids.join(',')} ${state}`, `  classDef ${state} ${style}`);
  }
  return lines.join('\n');
}

const STATE_STYLES = {
  pending: 'stroke-dasharray:4 4',
  running: 'fill:#cfe8ff,stroke:#0b63b0,color:#04294d',
  waiting: 'fill:#efe3fb,stroke:#7a3fb0,color:#2d1247',
  succeeded: 'fill:#d3f2d3,stroke:#1d7a1d,color:#0c330c',
  reused: 'fill:#e4f2d3,stroke:#5b7a1d,color:#26330c',
  failed: 'fill:#ffd6d6,stroke:#b00b0b,color:#4d0404',
  skipped: 'fill:#eeeeee,stroke:#777777,color:#333333',
  cancelled: 'fill:#eeeeee,stroke:#777777,color:#333333',
  uncertain: 'fill:#fff0c2,stroke:#b07d0b,color:#4d3604',
} as const;

const MAX_LABEL = 81;

function boxLine(node: PlanNode): string {
  const { id } = node;
  if (node.kind === 'task') return `  ${id}["${id}<br/>${label(node.displayName ?? node.task)}"]`;
  const name = ownDisplayName(node);
  return `  ${id}{{"${id} ${node.operator}${name === undefined ? '' : `<br/>${label(name)}`}"}}`;
}

function arrowLines(node: PlanNode): string[] {
  if (node.kind === 'task') return node.dependsOn.map((id) => `  ${id} --> ${node.id}`);
  const [left, right] = node.inputs;
  if (factsOf(node.operator).symmetric) return [`  ${left} --> ${node.id}`, `  ${right} --> ${node.id}`];
  return [`  ${left} -->|left| ${node.id}`, `  ${right} -->|right| ${node.id}`];
}

/**
 * Writes all but letters, digits, spaces, commas and some dots and hyphens as entities: a quote ends a label, and
 * Mermaid interprets HTML, Markdown, icons, formulas, directives and styles in labels.
 */
function label(text: string): string {
  return cutCharacters(oneLine(text), MAX_LABEL).replace(MARKUP, (mark) => `#${mark.codePointAt(0)};`);
}

const MARKUP = /(?!(?<=\p{L})\.(?= |$))(?!(?<=[\p{L}\p{N}])-(?=[\p{L}\p{N}]))[^\p{L}\p{N}\p{M} ,]/gu;
