import { hostname } from 'node:os';
import type { WorkflowExecutionDescription, Client } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { cutBytes, oneLine, quoteForShell, tickText, visible } from '../../plan/text/index.ts';
import type { Deployment } from '../../protocol/index.ts';
import type { Silence } from '../client-error.ts';
import type { ConnectedClient } from '../connect-client.ts';

export interface Poller {
  readonly identity: string;
  /** Milliseconds since the worker's last poll, from server time to local clock; wrong if these differ. */
  readonly ago: number;
  /** The build of its deployment, `NAME:BUILD`; absent without a deployment. */
  readonly build?: string;
  /** True if the worker has polled recently and, as far as this machine knows, its process has not ended. */
  readonly isThere: boolean;
}

/** `TaskQueueType` of the Temporal API. */
const TASKS = { workflow: 1, activity: 2 } as const;
/** From the Temporal API (`WorkerVersioningMode`): the worker gets only tasks for its build. */
const VERSIONED = 2;
/** Maximum ms since a living worker's last poll. A poll may wait at the server for a minute. */
const SEEN_WITHIN_MS = 65_000;
/** The default identity of a worker starts with its process id. */
const PROCESS = /^(\d+)@(.+?)(?: planwright\/[0-9a-f]{8})?$/su;
const ANSWER_MS = 5000;

export type Reach = Pick<ConnectedClient, 'client' | 'namespace'>;

export async function silenceOf(reach: Reach, taskQueue: string): Promise<Silence> {
  const { pollers, waitsMs } = await queueOf(reach, taskQueue, 'workflow');
  const there = pollers.find(({ isThere }) => isThere);
  if (there !== undefined) {
    const asked = `a worker asked for work on task queue ${oneLine(taskQueue)} ${tickText(there.ago)} ago`;
    return { busy: `${asked} and does not answer: it is busy, or has ended` };
  }
  const { waitsMs: nodesWaitMs } = await queueOf(reach, taskQueue, 'activity');
  const ms = pollers[0]?.ago ?? Math.max(waitsMs, nodesWaitMs);
  return { nobody: { taskQueue, ...(ms > 0 && { since: new Date(Date.now() - ms).toISOString() }) } };
}

/** From this attempt on, a workflow task counts as stuck. A single failure can be a rolling update of workers. */
const STUCK = 2;
const EVENTS = 20;
const REASON_BYTES = 500;

/** Why the workflow task of a run fails repeatedly, and what to do. @returns undefined if it does not fail */
export async function failingTask(
  { client, namespace }: Reach,
  { workflowId, runId, raw }: WorkflowExecutionDescription,
) {
  const attempt = raw.pendingWorkflowTask?.attempt ?? 0;
  if (attempt < STUCK) return undefined;
  const request = { namespace, execution: { workflowId, runId }, maximumPageSize: EVENTS };
  const { history } = await client.connection.withDeadline(Date.now() + ANSWER_MS, () =>
    client.workflowService.getWorkflowExecutionHistoryReverse(request),
  );
  const reasons = history?.events?.map((event) => event.workflowTaskFailedEventAttributes?.failure?.message);
  const reason = reasons?.find((one) => one != null);
  if (reason == null) return undefined;
  const [, attribute] = /search attribute (\w+)/i.exec(reason) ?? [];
  const place = `--namespace ${quoteForShell(namespace)}`;
  const run = `${place} --workflow-id ${visible(quoteForShell(workflowId))}`;
  const create = `make it again with: temporal operator search-attribute create ${place} --name ${attribute} --type KeywordList`;
  const build = /nondeterminis/i.test(reason) ? 'of the build that began it' : 'of a build without the fault';
  const reset = `temporal workflow reset ${run} --type LastWorkflowTask --reason "a bad history"`;
  const ofBuild = `start a worker ${build} (the log of the worker says more); where the history itself is bad: ${reset}`;
  const why = cutBytes(oneLine(reason), REASON_BYTES);
  return (
    `its workflow task has failed ${attempt - 1} times: ${why}; until it succeeds the run hears no message and begins nothing. ` +
    `To continue, ${attribute === undefined ? ofBuild : create}; to give it up: temporal workflow terminate ${run}`
  );
}

/** The workers that polled within the last minutes, latest first. */
export async function pollersOf(reach: Reach, taskQueue: string, kind: keyof typeof TASKS) {
  return (await queueOf(reach, taskQueue, kind)).pollers;
}

async function queueOf({ client, namespace }: Reach, taskQueue: string, kind: keyof typeof TASKS) {
  const { pollers, stats } = await client.connection.withDeadline(Date.now() + ANSWER_MS, () =>
    client.workflowService.describeTaskQueue({
      namespace,
      taskQueue: { name: taskQueue },
      // oxlint-disable-next-line typescript/no-unsafe-enum-assignment
      taskQueueType: TASKS[kind],
      reportStats: true,
    }),
  );
  const waitsMs = (stats?.approximateBacklogAge?.seconds?.toNumber() ?? 0) * 1000;
  return { pollers: readPollers(pollers ?? []), waitsMs };
}

function readPollers(pollers: readonly temporal.api.taskqueue.v1.IPollerInfo[]): readonly Poller[] {
  const now = Date.now();
  return pollers
    .map(({ identity, lastAccessTime, deploymentOptions }): Poller => {
      const seconds = lastAccessTime?.seconds?.toNumber();
      const ago = seconds === undefined ? 0 : Math.max(0, now - seconds * 1000);
      const { deploymentName = '', buildId = '', workerVersioningMode } = deploymentOptions ?? {};
      const isVersioned = Number(workerVersioningMode) === VERSIONED;
      const build = isVersioned && { build: buildName({ name: deploymentName ?? '', build: buildId ?? '' }) };
      return { identity: identity ?? '', ago, ...build, isThere: ago <= SEEN_WITHIN_MS && !hasEnded(identity ?? '') };
    })
    .toSorted((one, other) => one.ago - other.ago);
}

export function buildName({ name, build }: Deployment): string {
  return `${name}:${build}`;
}

function hasEnded(identity: string): boolean {
  const [, pid, host] = PROCESS.exec(identity) ?? [];
  return pid !== undefined && host === hostname() && !isAlive(Number(pid));
}

/** Whether a process exists on this machine, even if another user owns it. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

const DEPLOYMENT_MS = 5000;
/** The gRPC status for a deleted deployment. */
const NOT_FOUND = 5;

/**
 * The current builds of the given deployments, without deployments that have none.
 * @throws if the server does not answer
 */
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
    const { workerDeploymentInfo } = await client.connection.withDeadline(Date.now() + DEPLOYMENT_MS, () =>
      client.workflowService.describeWorkerDeployment({ namespace, deploymentName }),
    );
    return workerDeploymentInfo?.routingConfig?.currentDeploymentVersion?.buildId ?? undefined;
  } catch (error) {
    if ((error as { code?: unknown }).code === NOT_FOUND) return undefined;
    throw error;
  }
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
  return (
    `deployment ${deployment} has no current build, and new runs are given to nobody; type: temporal worker deployment ` +
    `set-current-version --deployment-name ${deployment} --build-id ${build.slice(deployment.length + 1)} --yes`
  );
}
