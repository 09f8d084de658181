/** The worker builds in use: builds to which open runs are pinned, and the build for new histories. */

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';

export interface Build {
  readonly deployment: string;
  readonly build: string;
}

/** The build to which a run is pinned. `current`, if known, is the build for new histories. */
export interface PinnedBuild extends Build {
  readonly current?: string;
}

/** The server's search attribute for the build of a run, such as `NAME:BUILD`. */
const PINNED_TO = 'TemporalWorkerDeploymentVersion';
/** Matches names of task queues that need no escape in a query. Runs with other names are filtered in this process. */
const PLAIN = /^[\p{L}\p{N} ._@/-]+$/u;
/** Maximum number of runs that are counted. The server only lists runs by build, so they are counted one by one. */
const MAX_COUNTED = 1000;

/** The build of the run's last task; undefined if its worker has no deployment. */
export function buildOf({ searchAttributes }: WorkflowExecutionInfo): Build | undefined {
  const [version] = searchAttributes[PINNED_TO] ?? [];
  const [, deployment, build] = /^([^:]+):(.+)$/s.exec(String(version ?? '')) ?? [];
  return deployment === undefined || build === undefined ? undefined : { deployment, build };
}

/** Counts the open runs and agents of a task queue by their build, at most a thousand in all. */
export async function pinnedBuilds(
  client: Client,
  namespace: string,
  taskQueue: string,
): Promise<readonly (PinnedBuild & { readonly runs: number })[]> {
  const ofQueue = PLAIN.test(taskQueue) ? ` AND TaskQueue = '${taskQueue}'` : '';
  const counts = new Map<string, Build & { runs: number }>();
  let count = 0;
  // Imported on demand, since commands that list nothing should not load the SDK's client.
  const { currentBuilds, listRunning } = await import('../../client/reach/index.ts');
  for await (const info of listRunning(client, `${PINNED_TO} IS NOT NULL${ofQueue}`)) {
    const build = buildOf(info);
    if (build === undefined || info.taskQueue !== taskQueue) continue;
    const key = `${build.deployment}:${build.build}`;
    counts.set(key, { ...build, runs: (counts.get(key)?.runs ?? 0) + 1 });
    if (++count === MAX_COUNTED) break;
  }
  const pinned = [...counts.values()];
  const current = await currentBuilds(
    client,
    namespace,
    pinned.map(({ deployment }) => deployment),
  );
  return pinned.map((one) => withCurrent(one, current));
}

export function withCurrent<One extends Build>(one: One, current: ReadonlyMap<string, string>): One & PinnedBuild {
  const build = current.get(one.deployment);
  return build === undefined ? one : { ...one, current: build };
}
