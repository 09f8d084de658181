/** The capabilities of tasks: how they are defined, found by name, and asked for questions. */

export {
  defineAgent,
  type Agent,
  type AgentDeclaration,
  type AgentLimits,
  type AgentModel,
  readAnswerSchema,
  type AnswerSchema,
  CapabilityError,
  NotApplied,
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
  createPlanBuilder,
  type PlanBuilder,
  type TaskOf,
  type UnnamedTask,
  readArguments,
  type ArgumentsRead,
} from './define/index.ts';
export {
  calculate,
  checkQuestion,
  type CheckedQuestion,
  type QuestionProblem,
  draftCapabilities,
  type DraftCapabilityOptions,
  fetchPage,
  type FetchPageOptions,
  fileCapabilities,
  type FilesOptions,
  lookAtPlan,
  reflect,
  createRegistry,
  type CapabilityRegistry,
  type RegistryOptions,
  searchText,
  type SearchTextOptions,
} from './builtin/index.ts';
export type { ResultSet } from './language/algebra/index.ts';
export type { ErrorClass, Question, ResultHandle, ResultKind } from './wire/contract/index.ts';
export type { ArgumentProblem, Catalogue, Effect, JsonValue, TaskDetails, TreeTask } from './language/plan/index.ts';
export type { ModelReply, ModelRequest } from './model/index.ts';
export type { Result } from './wire/results/index.ts';
