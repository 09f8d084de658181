export { createWorker, deploymentProblem, type WorkerOptions } from './create-worker.ts';
export { modelProblem, planwrightPlugin, type PluginOptions, hasInbox } from './plugin.ts';
export { fingerprintOf, readWorkerIdentity, workerIdentity, type Trust, type WorkerIdentity } from './fingerprint.ts';
export { DATA_CONVERTER, WORKFLOW_SOURCES } from './workflow-sources.ts';
