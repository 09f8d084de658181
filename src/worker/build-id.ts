/** The name of a build, as six events of each step of a loop carry it. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { WorkerOptions } from '@temporalio/worker';
import { ownWorkflows } from './workflow-sources.ts';

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
