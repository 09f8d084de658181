/** Plans for people: sentences, trees, diagrams, pages and differences. */

export { diffPlans } from './diff.ts';
export type { ChangedNode, NodePair, PlanDiff } from './diff.ts';
export { renderDiff } from './diff-text.ts';
export { escapeText, renderMarkdown, type ExecutorWords, type MarkdownOptions, planSentence } from './markdown.ts';
export { MERMAID_LIMITS, renderMermaid } from './mermaid.ts';
export type { MermaidOptions, NodeState } from './mermaid.ts';
export { shareRoom, valuesOf } from './effect-values.ts';
export { argumentWords, nodeSentence, nodeWords } from './node-sentence.ts';
export { nodeSummary, nodeTitle, outlineOf, renderTree } from './plan-outline.ts';
export type { OutlineOptions, TreeOptions } from './plan-outline.ts';
