/** The workers that ask the server for work on a task queue, whether they are still there, and why a run of theirs stands still. */

import { hostname } from 'node:os';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { temporal } from '@temporalio/proto';
import { cutBytes, oneLine, quoteForShell, tickText, visible } from '../../plan/text/index.ts';
import type { Deployment } from '../../protocol/index.ts';
import type { Silence } from '../client-error.ts';
import type { ConnectedClient } from '../connect-client.ts';

export interface Poller {
  readonly identity: string;
  /** Milliseconds since it asked last, by our clock and the server's time: where the two differ much, so does this. */
  readonly ago: number;
  /** The build of its deployment, `NAME:BUILD`; absent where it has none. */
  readonly build?: string;
  /** It has asked within the time that a server holds a question, and its process has not ended as far as can be told here. */
  readonly isThere: boolean;
}

/** `TaskQueueType` of the API, whose enums no package of the SDK gives us. */
const TASKS = { workflow: 1, activity: 2 } as const;
/** `WorkerVersioningMode` of the API: its build decides what it is given. */
const VERSIONED = 2;
/** The server holds a poll for a minute at most, so whoever works has asked within it, and tells whole seconds. */
const SEEN_WITHIN_MS = 65_000;
/** The name of a worker begins with its process, unless it was given another. */
const PROCESS = /^(\d+)@(.+?)(?: planwright\/[0-9a-f]{8})?$/su;
/** The server's word on who polls. */
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

/** It fails again, after some other one: a rolling update of workers can fail one task. */
const STUCK = 2;
const EVENTS = 20;
/** A failure may have megabytes. */
const REASON_BYTES = 500;

/**
 * Why the workflow task of a run fails again and again, so that nothing of the run goes on, and what to do about it.
 * @returns undefined where it does not, as where no worker has taken it
 */
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

/** The server remembers who asked within the last minutes. The latest first. */
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

/** `booking:2026-08-01` */
export function buildName({ name, build }: Deployment): string {
  return `${name}:${build}`;
}

/** Only of a process of this host it can be told. */
function hasEnded(identity: string): boolean {
  const [, pid, host] = PROCESS.exec(identity) ?? [];
  return pid !== undefined && host === hostname() && !isAlive(Number(pid));
}

/** Whether a process of this machine goes on, be it another person's: also of a number that is none of a process. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
