/** Releases of workers on the test's server. */

import type { Client } from '@temporalio/client';
import type { Deployment } from '../../src/protocol/index.ts';
import { eventually } from './eventually.ts';

/** Gives new histories to this build, as soon as the server has heard of its worker. */
export async function release({ workflowService }: Client, { name, build }: Deployment): Promise<void> {
  const version = { deploymentName: name, buildId: build, version: `${name}.${build}` };
  await eventually(() => workflowService.setWorkerDeploymentCurrentVersion({ namespace: 'default', ...version }));
}

/** The build that the newest history of a run is pinned to; undefined while no task of it has ended. */
export async function buildOfRun(client: Client, workflowId: string): Promise<string | undefined> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
}

/** Waits until a run stands in another history than this, and has acted there. @returns the build of that */
export function movedFrom(client: Client, workflowId: string, runId: string): Promise<string> {
  return eventually(async () => {
    const described = await client.workflow.getHandle(workflowId).describe();
    const build = await buildOfRun(client, workflowId);
    if (described.runId === runId || build === undefined) throw new Error(`${workflowId} has not gone on`);
    return build;
  });
}
