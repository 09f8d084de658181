/** A release of a worker, as the server knows it: runs stay on the release that began their history. */

import type { WorkerOptions } from '@temporalio/worker';
import { cutCharacters } from '../plan/text/index.ts';
import type { Deployment } from '../protocol/index.ts';

/** The name of a deployment, and of a build. */
const MOST = 200;

/**
 * Why the server would take no worker of this name, without saying so: it would be given no work.
 * @returns undefined where it would
 */
export function deploymentProblem({ name, build }: Deployment): string | undefined {
  for (const [what, text] of Object.entries({ deployment: name, build })) {
    if (text.trim() === '' || text.length > MOST || text.startsWith('__'))
      return `${what}: expected 1 to ${MOST} characters that do not begin with "__", got ${JSON.stringify(cutCharacters(text, MOST))}`;
  }
  return /[.:]/.test(name)
    ? `deployment: a name without "." and ":" is expected, got ${JSON.stringify(name)}`
    : undefined;
}

/** @throws TypeError when the server would not take the name */
export function deploymentOptions(deployment: Deployment): Pick<WorkerOptions, 'workerDeploymentOptions'> {
  const problem = deploymentProblem(deployment);
  if (problem !== undefined) throw new TypeError(problem);
  const version = { deploymentName: deployment.name, buildId: deployment.build };
  return { workerDeploymentOptions: { useWorkerVersioning: true, version, defaultVersioningBehavior: 'PINNED' } };
}
