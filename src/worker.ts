/** Everything for a worker that executes the runs of a project. */

export type { ConfiguredModel, NodeEvent, ProjectModels, SpanFacts, Tracing, WorkSpan } from './activities/index.ts';
export type { CapabilityRegistry } from './capabilities/builtin/index.ts';
export type { ApprovalRule, HistoryBudget, HistorySize, RunMode } from './protocol/index.ts';
export type { EncryptionKeys } from './protocol/encryption/index.ts';
export type { IdentityConfig } from './protocol/identity/index.ts';
export type { Catalogue } from './plan/index.ts';
export type { LoopPolicy } from './capabilities/index.ts';
export type { ConversationSources } from './planner/index.ts';
export type { ResultStore } from './store/index.ts';
export {
  createWorker,
  DATA_CONVERTER,
  fingerprintOf,
  modelProblem,
  planwrightPlugin,
  readWorkerIdentity,
  WORKFLOW_SOURCES,
  workerIdentity,
  type PluginOptions,
  type Trust,
  type WorkerIdentity,
  type WorkerOptions,
} from './worker/index.ts';
export {
  connectWorker,
  installRuntime,
  type RuntimeSettings,
  openConversations,
  openModels,
  openReceipts,
  openTracing,
  type WorkerConnection,
} from './config/own-worker/index.ts';
