/** The place of this package's workflows, and how they are bundled. */

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { WorkerOptions } from '@temporalio/worker';
import { createHash } from 'node:crypto';

/** From the build these files are .js, from the sources .ts. */
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/** Decodes anything, and bounds what leaves as a failure; a replay of our histories needs it as much as a worker does. */
export const DATA_CONVERTER = {
  payloadConverterPath: pathOf('../workflows/payload-converter.js'),
  failureConverterPath: pathOf('../workflows/failure-converter.js'),
};

/** The same of a worker that encrypts: the texts of a failure of an activity leave it as a payload. */
export const SEALING_CONVERTER = {
  ...DATA_CONVERTER,
  failureConverterPath: pathOf('../workflows/sealing-converter.js'),
};

const SDK = createRequire(import.meta.url)('@temporalio/worker/package.json') as { readonly version: string };

/** The bundle that the build made. It holds the SDK's own part of a workflow, so it serves workers of that version alone. */
const BUNDLE = pathOf(`../workflows/bundle-${SDK.version}.js`);

/** They keep nothing between two calls, so that all runs of a worker share them: a cached run then takes a third of the memory. */
export const SHARED_ROOMS = [
  pathOf(`../workflows/run/index.${EXTENSION}`),
  pathOf(`../protocol/identity/token/index.${EXTENSION}`),
];

/** The sources of the workflows alone, as options of the SDK's `bundleWorkflowCode`: their stacks are three frames long. */
export const WORKFLOW_SOURCES = {
  workflowsPath: pathOf(`../workflows/index.${EXTENSION}`),
  ...DATA_CONVERTER,
  workflowInterceptorModules: [
    pathOf(`../workflows/sdk/speculative-queries.${EXTENSION}`),
    pathOf(`../workflows/sdk/activations.${EXTENSION}`),
    pathOf(`../workflows/sdk/undecodable.${EXTENSION}`),
  ],
  preloadModules: [...SHARED_ROOMS, pathOf(`../workflows/sdk/short-stacks.${EXTENSION}`)],
};

/** Our workflows alone: the bundle that the build made where it fits the SDK, else bundled at the worker's start (about 1 s). */
export function ownWorkflows(): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> {
  return EXTENSION === 'js' && existsSync(BUNDLE)
    ? { workflowBundle: { codePath: BUNDLE } }
    : { workflowsPath: WORKFLOW_SOURCES.workflowsPath };
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

/** Builds of one namespace must not meet. */
const BYTES = 6;

/**
 * The checksum of the workflow bundle, in 23 characters. The SDK's own name of the same takes 94, in every workflow task and
 * every start of an activity. A worker that names its build, or has no bundle yet, keeps what the SDK does.
 */
export function buildIdOf(
  worker: Pick<WorkerOptions, 'buildId' | 'workerDeploymentOptions'>,
  bundle: WorkerOptions['workflowBundle'],
): Pick<WorkerOptions, 'buildId'> {
  if (bundle === undefined || worker.buildId !== undefined || worker.workerDeploymentOptions !== undefined) return {};
  return { buildId: `planwright+${codeDigest(bundle)}` };
}

/** The digest of our own workflows, as a worker of them alone runs them; from the sources there is no bundle yet, and so none. */
export function workflowsDigest(): string {
  const { workflowBundle } = ownWorkflows();
  return workflowBundle === undefined ? 'sources' : codeDigest(workflowBundle);
}

function codeDigest(bundle: NonNullable<WorkerOptions['workflowBundle']>): string {
  const code = 'code' in bundle ? bundle.code : readFileSync(bundle.codePath);
  return createHash('sha256').update(code).digest().toString('hex', 0, BYTES);
}
