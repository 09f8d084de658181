/** The door of `worker/plugin`: everything that a run needs of its worker, plugged in. */

export { workflowsDigest } from './build-id.ts';
export { createWorker, type WorkerOptions } from './create-worker.ts';
export { deploymentProblem } from './deployment.ts';
export { hasInbox } from './find-inbox.ts';
export { fingerprintOf, readWorkerIdentity, workerIdentity, type Trust, type WorkerIdentity } from './fingerprint.ts';
export { modelProblem } from './model-problem.ts';
export { planwrightPlugin, type PluginOptions } from './plugin.ts';
export { DATA_CONVERTER, WORKFLOW_SOURCES } from './workflow-sources.ts';
