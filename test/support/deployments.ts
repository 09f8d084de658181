/** Releases of workers on the test's server. */

import type { Client } from '@temporalio/client';
import type { Deployment } from '../../src/protocol/index.ts';

const PATIENCE_MS = 60_000;

/** Gives new histories to this build, as soon as the server has heard of its worker. */
export async function release({ workflowService }: Client, { name, build }: Deployment): Promise<void> {
  const version = { deploymentName: name, buildId: build, version: `${name}.${build}` };
  await patiently(() => workflowService.setWorkerDeploymentCurrentVersion({ namespace: 'default', ...version }));
}

/** The build that the newest history of a run is pinned to; undefined while no task of it has ended. */
export async function buildOfRun(client: Client, workflowId: string): Promise<string | undefined> {
  const { raw } = await client.workflow.getHandle(workflowId).describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId ?? undefined;
}

/** Waits until a run stands in another history than this, and has acted there. @returns the build of that */
export async function movedFrom(client: Client, workflowId: string, runId: string): Promise<string> {
  return patiently(async () => {
    const described = await client.workflow.getHandle(workflowId).describe();
    const build = await buildOfRun(client, workflowId);
    if (described.runId === runId || build === undefined) throw new Error(`${workflowId} has not gone on`);
    return build;
  });
}

async function patiently<T>(work: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + PATIENCE_MS; ;) {
    try {
      return await work();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
