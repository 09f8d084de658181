/** The builds of workers that open runs are pinned to, and the build that the server gives new histories to. */

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';

/** A build of a worker deployment, as the server lists runs by it. */
export interface Build {
  readonly deployment: string;
  readonly build: string;
}

/** The build that a run is pinned to; a new history begins on `current`, which is absent where none is known. */
export interface HeldBuild extends Build {
  readonly current?: string;
}

/** A search attribute of the server's own: `NAME:BUILD`, where no name has a colon. */
const PINNED_TO = 'TemporalWorkerDeploymentVersion';
/** Another queue is told apart by its runs. */
const PLAIN = /^[\p{L}\p{N} ._@/-]+$/u;
/** Open runs that are counted by their builds; a server has an index, and no sums over it. */
const MOST_COUNTED = 1000;

/** The build that the server last gave a task of the run to; undefined where its worker has no deployment. */
export function buildOf({ searchAttributes }: WorkflowExecutionInfo): Build | undefined {
  const [version] = searchAttributes[PINNED_TO] ?? [];
  const [, deployment, build] = /^([^:]+):(.+)$/s.exec(String(version ?? '')) ?? [];
  return deployment === undefined || build === undefined ? undefined : { deployment, build };
}

/** How many open runs and agents of a task queue are pinned to each build: `runs` of at most a thousand that are looked at. */
export async function heldBuilds(
  client: Client,
  namespace: string,
  taskQueue: string,
): Promise<readonly (HeldBuild & { readonly runs: number })[]> {
  const ofQueue = PLAIN.test(taskQueue) ? ` AND TaskQueue = '${taskQueue}'` : '';
  const counts = new Map<string, Build & { runs: number }>();
  let seen = 0;
  // A command that lists nothing does not load the SDK's client.
  const { currentBuilds, listRunning } = await import('../../client/reach/index.ts');
  for await (const info of listRunning(client, `${PINNED_TO} IS NOT NULL${ofQueue}`)) {
    const build = buildOf(info);
    if (build === undefined || info.taskQueue !== taskQueue) continue;
    const key = `${build.deployment}:${build.build}`;
    counts.set(key, { ...build, runs: (counts.get(key)?.runs ?? 0) + 1 });
    if (++seen === MOST_COUNTED) break;
  }
  const held = [...counts.values()];
  const current = await currentBuilds(
    client,
    namespace,
    held.map(({ deployment }) => deployment),
  );
  return held.map((one) => withCurrent(one, current));
}

export function withCurrent<One extends Build>(one: One, current: ReadonlyMap<string, string>): One & HeldBuild {
  const build = current.get(one.deployment);
  return build === undefined ? one : { ...one, current: build };
}
