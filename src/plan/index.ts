/** Compiles documents to plans; renders, compares, stores and searches plans. All of this is pure and never throws. */

export { wholeDocument } from './whole-document.ts';
export { addStep, validateStep, type AvailableResults, type StepValidation, type ValidStep } from './validate-step.ts';
export { compilePlan } from './compile-plan.ts';
export { buildDelegationPlan } from './delegation-plan.ts';
export { FILE_LIMITS, MODEL_LIMITS } from './limits.ts';
export { planSchema } from './json-schema.ts';
export { closingOf, exactJson, jsonFlaw, readJson, yamlIn } from './syntax/index.ts';
export { plan, planDocument, writtenNode } from './tree/index.ts';
export * from './catalogue.ts';
export type { CompileOptions, CompileResult, PlanFormat, PlanDocument } from './compile-plan.ts';
export type { DelegationError, DelegationErrorDetails, DelegationPlan } from './delegation-plan.ts';
export type { Limits } from './limits.ts';
export type { Schema } from './json-schema.ts';
export type {
  ColocateDetails,
  CombineDetails,
  TaskDetails,
  TreeCombine,
  TreeDocument,
  TreeNode,
  TreeTask,
} from './tree/index.ts';

export type * from './compiled-plan.ts';

export { ISSUE_CODES, didYouMean, warningLines } from './issues/index.ts';
export type { IssueCode, PlanIssue, Severity } from './issues/index.ts';

export { OPERATORS, operatorNames, readOperatorName } from './operators/index.ts';
export type { OperatorFacts, OperatorReading } from './operators/index.ts';

export { effectOrder, findReferences, readySteps, referencedStep, stepById, stepsDocument } from './steps/index.ts';
export { readUndone, undoneText } from './steps/index.ts';
export type { StepsDocument, UndoneNode, WrittenStep } from './steps/index.ts';

export {
  canonicalJson,
  contextRefs,
  contextText,
  decodePlan,
  encodePlan,
  keyWithGoal,
  lacksContext,
  RESULT_FORMAT,
  withoutContext,
} from './digest/index.ts';

export * from './rendering/index.ts';
export { findUntrusted } from './untrusted.ts';
export { groupsBy } from './groups-by.ts';
