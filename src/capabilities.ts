/** Everything to define capabilities and agents, and the capabilities that come with Planwright. */

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
} from './capabilities/index.ts';
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
  openMcpTools,
  type McpAddress,
  type McpCommand,
  type McpOptions,
  type McpServerSettings,
  type McpTools,
  reflect,
  createRegistry,
  type CapabilityRegistry,
  type RegistryOptions,
} from './capabilities/builtin/index.ts';
export type { ResultSet } from './plan/algebra/index.ts';
export type { ErrorClass, Question, ResultHandle, ResultKind } from './protocol/index.ts';
export type { ArgumentProblem, Catalogue, Effect, JsonValue, TaskDetails, TreeTask } from './plan/index.ts';
export type { ModelReply, ModelRequest } from './models/index.ts';
export type { Result } from './store/index.ts';
