/** A worker for the runs of a project: its connection, and everything plugged in. */

export type { AskedModel, NodeEvent, ProjectModels, SpanFacts, Tracing, WorkSpan } from './worker/activities/index.ts';
export type { CapabilityRegistry } from './builtin/index.ts';
export type { ApprovalRule, HistoryBudget, HistorySize, RunMode } from './wire/contract/index.ts';
export type { EncryptionKeys } from './wire/encryption/index.ts';
export type { IdentityConfig } from './wire/identity/index.ts';
export type { Catalogue } from './language/plan/index.ts';
export type { LoopPolicy } from './define/index.ts';
export type { ConversationSources } from './loop/index.ts';
export type { ResultStore } from './wire/results/index.ts';
export {
  createWorker,
  DATA_CONVERTER,
  fingerprintOf,
  modelProblem,
  planwrightPlugin,
  readWorkerIdentity,
  WORKFLOW_SOURCES,
  workerIdentity,
  type Deployment,
  type PluginOptions,
  type Trust,
  type WorkerIdentity,
  type WorkerOptions,
} from './worker/plugin/index.ts';
export {
  connectWorker,
  installRuntime,
  type RuntimeSettings,
  openConversations,
  openModels,
  openTracing,
  type WorkerConnection,
} from './edge/own-worker/index.ts';
