import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { WorkerOptions } from '@temporalio/worker';
import { createHash } from 'node:crypto';

const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js';

/** The data converter of runs and replays: decodes anything, and limits the size of failures. */
export const DATA_CONVERTER = {
  payloadConverterPath: pathOf('../workflows/payload-converter.js'),
  failureConverterPath: pathOf('../workflows/failure-converter.js'),
};

/** The data converter of a worker that encrypts: the texts of an activity's failure are encrypted too. */
export const SEALING_CONVERTER = {
  ...DATA_CONVERTER,
  failureConverterPath: pathOf('../workflows/sealing-converter.js'),
};

const SDK = createRequire(import.meta.url)('@temporalio/worker/package.json') as { readonly version: string };

/** The bundle from the build. It contains the SDK's workflow code, so it fits only this version of the SDK. */
const BUNDLE = pathOf(`../workflows/bundle-${SDK.version}.js`);

/** Modules without state. All runs of a worker share them, so that a cached run takes a third of the memory. */
export const SHARED_ROOMS = [
  pathOf(`../workflows/run/index.${EXTENSION}`),
  pathOf(`../protocol/identity/token/index.${EXTENSION}`),
];

/** The workflow sources, as options of the SDK's `bundleWorkflowCode`. Stack traces are limited to three frames. */
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

/** Planwright's workflows: the built bundle if it fits the SDK, otherwise bundled at the start (about 1 s). */
export function ownWorkflows(): Pick<WorkerOptions, 'workflowBundle' | 'workflowsPath'> {
  return EXTENSION === 'js' && existsSync(BUNDLE)
    ? { workflowBundle: { codePath: BUNDLE } }
    : { workflowsPath: WORKFLOW_SOURCES.workflowsPath };
}

function pathOf(relative: string): string {
  return fileURLToPath(new URL(relative, import.meta.url));
}

/** Bytes of a build's checksum. Builds in one namespace must differ. */
const BYTES = 6;

/** A build id of 23 characters from the bundle's checksum (the SDK's has 94), since every workflow task has it. */
export function buildIdOf(
  worker: Pick<WorkerOptions, 'buildId' | 'workerDeploymentOptions'>,
  bundle: WorkerOptions['workflowBundle'],
): Pick<WorkerOptions, 'buildId'> {
  if (bundle === undefined || worker.buildId !== undefined || worker.workerDeploymentOptions !== undefined) return {};
  return { buildId: `planwright+${codeDigest(bundle)}` };
}

function codeDigest(bundle: NonNullable<WorkerOptions['workflowBundle']>): string {
  const code = 'code' in bundle ? bundle.code : readFileSync(bundle.codePath);
  return createHash('sha256').update(code).digest().toString('hex', 0, BYTES);
}
