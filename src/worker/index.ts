/** A worker for the runs of a project: its connection, and everything plugged in. */

export type { AskedModel, NodeEvent, ProjectModels } from '../activities/index.ts';
export type { CapabilityRegistry } from '../capabilities/index.ts';
export type { ApprovalRule, HistoryBudget, HistorySize } from '../contract/index.ts';
export type { IdentityConfig } from '../identity/index.ts';
export type { Catalogue } from '../plan/index.ts';
export type { ConversationSources, LoopPolicy } from '../planner/index.ts';
export type { ResultStore } from '../results/index.ts';
export { createWorker, type WorkerOptions } from './create-worker.ts';
export { planwrightPlugin, type PluginOptions } from './plugin.ts';
export { fingerprintOf, workerIdentity, readWorkerIdentity, type Trust, type WorkerIdentity } from './fingerprint.ts';
export { DATA_CONVERTER, WORKFLOW_SOURCES } from './workflow-sources.ts';
export { openConversations } from './open-conversations.ts';
export { modelProblem, openModels } from './open-models.ts';
export { connectWorker, type WorkerConnection } from './connect-worker.ts';
export { installRuntime } from './install-runtime.ts';
