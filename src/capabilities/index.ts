/** What a task can do: how capabilities are defined, found by name, and asked for questions. */

export { defineAgent, type Agent, type AgentDeclaration, type AgentLimits, type AgentModel } from './agent.ts';
export { readAnswerSchema, type AnswerSchema } from './answer-schema.ts';
export { calculate } from './calculate/index.ts';
export { CapabilityError, NotApplied } from './capability-error.ts';
export {
  defineCapability,
  type Capability,
  type CapabilityGuide,
  type CapabilityRetry,
  type CapabilityTimeouts,
  type ResultValues,
  type TaskContext,
  type TaskInput,
  type TaskModel,
  type WaitCapability,
  type WorkCapability,
} from './capability.ts';
export { checkQuestion, type CheckedQuestion, type QuestionProblem } from './check-question.ts';
export { draftCapabilities, type DraftCapabilityOptions } from './draft-capabilities.ts';
export { fetchPage, type FetchPageOptions } from './fetch-page/index.ts';
export { fileCapabilities, type FilesOptions } from './files/index.ts';
export { lookAtPlan } from './look-at-plan.ts';
export { createPlanBuilder, type PlanBuilder, type TaskOf, type UnnamedTask } from './plan-builder.ts';
export { readArguments, type ArgumentsRead } from './read-arguments.ts';
export { reflect } from './reflect.ts';
export { createRegistry, type CapabilityRegistry, type RegistryOptions } from './registry.ts';
export type { ResultSet } from '../algebra/index.ts';
export type { ErrorClass, Question, ResultHandle, ResultKind } from '../contract/index.ts';
export type { ArgumentProblem, Catalogue, Effect, JsonValue, TaskDetails, TreeTask } from '../plan/index.ts';
export type { ModelReply, ModelRequest } from '../planner/index.ts';
export type { Result } from '../results/index.ts';
export { searchText, type SearchTextOptions } from './search-text/index.ts';
