/** What a task can do: how capabilities are defined, found by name, and asked for questions. */

export { readAnswerSchema, type AnswerSchema } from './answer-schema.ts';
export { CapabilityError, NotApplied } from './capability-error.ts';
export {
  defineCapability,
  type Capability,
  type CapabilityRetry,
  type CapabilityTimeouts,
  type ResultValues,
  type TaskContext,
  type TaskInput,
  type WaitCapability,
  type WorkCapability,
} from './capability.ts';
export { checkQuestion, type CheckedQuestion, type QuestionProblem } from './check-question.ts';
export { draftCapabilities, type DraftCapabilityOptions } from './draft-capabilities.ts';
export { createPlanBuilder, type PlanBuilder, type TaskOf, type UnnamedTask } from './plan-builder.ts';
export { createRegistry, type CapabilityRegistry, type RegistryOptions } from './registry.ts';
