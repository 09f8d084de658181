/** Finds the builds that get new runs, and deployments without a current build. */

import type { Client } from '@temporalio/client';
import { pollersOf, type Reach } from './pollers.ts';

const ANSWER_MS = 5000;
/** The gRPC status for a deleted deployment. */
const NOT_FOUND = 5;

/** The current build of each of these deployments that has one. @throws if the server does not answer */
export async function currentBuilds(
  client: Client,
  namespace: string,
  deployments: Iterable<string>,
): Promise<ReadonlyMap<string, string>> {
  const names = [...new Set(deployments)];
  const told = await Promise.all(names.map((name) => currentBuild(client, namespace, name)));
  return new Map(names.flatMap((name, at) => (told[at] === undefined ? [] : [[name, told[at]] as const])));
}

async function currentBuild(client: Client, namespace: string, deploymentName: string): Promise<string | undefined> {
  try {
    const { workerDeploymentInfo } = await client.connection.withDeadline(Date.now() + ANSWER_MS, () =>
      client.workflowService.describeWorkerDeployment({ namespace, deploymentName }),
    );
    return workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId ?? undefined;
  } catch (error) {
    if ((error as { code?: unknown }).code === NOT_FOUND) return undefined;
    throw error;
  }
}

/** @param build one of the deployment's builds, if known */
export function noCurrentBuild(deployment: string, build: string | undefined, newRunsGoTo: string): string {
  return (
    `deployment ${deployment} has no current build, and new runs are given to ${newRunsGoTo}; ` +
    `type: temporal worker deployment set-current-version --deployment-name ${deployment} --build-id ${build ?? 'ID'} --yes`
  );
}

/** Why running workers get no new runs: none of their deployments has a current build. Undefined if one has. */
export async function idleDeployment(reach: Reach, taskQueue: string): Promise<string | undefined> {
  const there = (await pollersOf(reach, taskQueue, 'workflow')).filter(({ isThere }) => isThere);
  const [first] = there;
  if (first?.build === undefined || there.some(({ build }) => build === undefined)) return undefined;
  const builds = there.map(({ build = '' }) => [build.slice(0, build.indexOf(':')), build] as const);
  const current = await currentBuilds(
    reach.client,
    reach.namespace,
    builds.map(([deployment]) => deployment),
  );
  if (current.size > 0) return undefined;
  const [[deployment = '', build = ''] = []] = builds;
  return noCurrentBuild(deployment, build.slice(deployment.length + 1), 'nobody');
}
