export { effectOrder, readySteps, referencedStep, stepById, isStepKey } from './find-step.ts';
export { numberSteps, stepsDocument, type StepsDocument, type WrittenStep } from './steps-document.ts';
export { isAnswer, readStep, readUndone, undoneText, type UndoneNode } from './read-step.ts';
export { readSteps } from './read-steps.ts';
export type { ReadSteps } from './read-steps.ts';
export { findReferences, resolveReferences } from './resolve-references.ts';
export type { NamedStep, StepDraft, StepInputs } from '../plan-reading.ts';
