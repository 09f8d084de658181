/** Ordered lists of steps: read, resolved, numbered, and searched. */

export { effectOrder, readySteps } from './ready-steps.ts';
export { referencedStep, stepById } from './find-step.ts';
export { numberSteps } from './number-steps.ts';
export { isAnswer, readStep } from './read-step.ts';
export { readSteps } from './read-steps.ts';
export type { ReadSteps } from './read-steps.ts';
export { findReferences } from './references.ts';
export { resolveReferences } from './resolve-references.ts';
export type { NamedStep, StepDraft, StepInputs } from '../plan-reading.ts';
export { isStepKey } from './step-keys.ts';
export { stepsDocument } from './steps-document.ts';
export type { StepsDocument, WrittenStep } from './steps-document.ts';
