export { plan } from './build-plan.ts';
export { addStep } from './add-step.ts';
export { canonicalJson } from './canonical-json.ts';
export { compilePlan } from './compile-plan.ts';
export { OPERATORS } from './compiled-plan.ts';
export { renderDiff } from './diff-text.ts';
export { diffPlans } from './diff.ts';
export { ownDisplayName } from './display-name.ts';
export { decodePlan, encodePlan } from './encode-plan.ts';
export { buildDelegationPlan } from './delegation-plan.ts';
export { effectOrder } from './effect-order.ts';
export { isOrdered, readySteps, referencedStep, stepById } from './find-step.ts';
export { ISSUE_CODES } from './issue.ts';
export { planSchema } from './json-schema.ts';
export { FILE_LIMITS, MODEL_LIMITS } from './limits.ts';
export { executorOf, renderMarkdown } from './markdown.ts';
export { MERMAID_LIMITS, renderMermaid } from './mermaid.ts';
export { nodeSentence } from './node-sentence.ts';
export { nodeSummary } from './node-summary.ts';
export { didYouMean, nearestName } from './did-you-mean.ts';
export { operatorNames, readOperatorName } from './operator-names.ts';
export { planSentence } from './plan-sentence.ts';
export { REFERENCE, findReferences } from './references.ts';
export { renderTree, treeLines } from './render-tree.ts';
export { stepsDocument } from './steps-document.ts';
export { validateStep } from './validate-step.ts';
export type {
  ColocateDetails,
  CombineDetails,
  TaskDetails,
  TreeCombine,
  TreeDocument,
  TreeNode,
  TreeTask,
} from './build-plan.ts';
export type { ArgumentProblem, Catalogue, Effect, Executor } from './catalogue.ts';
export type { CompileOptions, CompileResult, PlanFormat } from './compile-plan.ts';
export type * from './compiled-plan.ts';
export type { ChangedNode, NodePair, PlanDiff } from './diff.ts';
export type { DecodeResult } from './encode-plan.ts';
export type { IssueCode, PlanIssue, Severity } from './issue.ts';
export type { Limits } from './limits.ts';
export type { ExecutorWords, MarkdownOptions } from './markdown.ts';
export type { MermaidOptions, NodeState } from './mermaid.ts';
export type { OperatorReading } from './operator-names.ts';
export type { Schema } from './schema-parts.ts';
export type { Reference } from './references.ts';
export type { DelegationError } from './delegation-plan.ts';
export type { StepsDocument, WrittenStep } from './steps-document.ts';
export type { AvailableResults, StepValidation, ValidStep } from './validate-step.ts';
export type { TreeLine, TreeOptions } from './render-tree.ts';
