/**
 * The door of `plan`: a document becomes a compiled plan or a list of issues, and a compiled plan is shown, compared,
 * stored and looked into. Everything here is pure, and nothing throws because of what a document holds.
 */

// From a document to a plan.
export { wholeDocument } from './document/index.ts';
export { addStep } from './add-step.ts';
export { compilePlan } from './compile-plan.ts';
export { buildDelegationPlan } from './delegation-plan.ts';
export { FILE_LIMITS, MODEL_LIMITS } from './limits.ts';
export { planSchema } from './json-schema.ts';
export { closingOf, exactJson, jsonFlaw, readJson } from './syntax/index.ts';
export { plan, planDocument, writtenNode } from './tree/index.ts';
export { validateStep } from './validate-step.ts';
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
export type { AvailableResults, StepValidation, ValidStep } from './validate-step.ts';

// The parts of a plan.
export type * from './compiled-plan.ts';

// The issues of a document.
export { ISSUE_CODES, didYouMean, nearestName, warningLines } from './issues/index.ts';
export type { IssueCode, PlanIssue, Severity } from './issues/index.ts';

// Its operators.
export { OPERATORS, operatorNames, readOperatorName } from './operators/index.ts';
export type { OperatorFacts, OperatorReading } from './operators/index.ts';

// Its steps.
export { effectOrder, findReferences, readySteps, referencedStep, stepById, stepsDocument } from './steps/index.ts';
export type { StepsDocument, WrittenStep } from './steps/index.ts';

// Its canonical form.
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

// How it is shown.
export * from './rendering/index.ts';
