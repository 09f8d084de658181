/** Builds that open runs are pinned to, and the build of new histories. */

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';

export interface Build {
  readonly deployment: string;
  readonly build: string;
}

/** A run's pinned build; new histories start on `current`, if known. */
export interface PinnedBuild extends Build {
  readonly current?: string;
}

/** The server's search attribute `NAME:BUILD`; no name has a colon. */
const PINNED_TO = 'TemporalWorkerDeploymentVersion';
/** Other queue names are filtered here instead of in the query. */
const PLAIN = /^[\p{L}\p{N} ._@/-]+$/u;
/** The server lists runs by build, but does not count them. */
const MAX_COUNTED = 1000;

/** The build of the run's last task; undefined without a deployment. */
export function buildOf({ searchAttributes }: WorkflowExecutionInfo): Build | undefined {
  const [version] = searchAttributes[PINNED_TO] ?? [];
  const [, deployment, build] = /^([^:]+):(.+)$/s.exec(String(version ?? '')) ?? [];
  return deployment === undefined || build === undefined ? undefined : { deployment, build };
}

/** Open runs and agents of a task queue by pinned build: `runs` of at most a thousand. */
export async function pinnedBuilds(
  client: Client,
  namespace: string,
  taskQueue: string,
): Promise<readonly (PinnedBuild & { readonly runs: number })[]> {
  const ofQueue = PLAIN.test(taskQueue) ? ` AND TaskQueue = '${taskQueue}'` : '';
  const counts = new Map<string, Build & { runs: number }>();
  let count = 0;
  // Commands that list nothing do not load the SDK's client.
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
