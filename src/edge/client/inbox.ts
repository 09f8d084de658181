/** The items that the runs of a namespace wait for a person to answer, in one list. */

import type { Client } from '@temporalio/client';
import type { OpenItem } from '../../wire/contract/index.ts';
import type { Place } from './client-error.ts';
import { findRuns, hasWorker } from './find-runs.ts';
import { passingCode } from './follow/index.ts';
import type { RunHandle } from './run-handle.ts';

/** The options of `PlanClient.inbox`: the role that items wait for, and how many are listed. */
export interface InboxOptions {
  /** Only what waits for this role or for anybody. Default: everything. */
  readonly role?: string;
  /** Items listed. Default 100. */
  readonly limit?: number;
}

/** An item that waits for a person, with the task queue of its run. */
export interface InboxItem extends OpenItem {
  readonly taskQueue: string;
}

/** A running run that did not answer when it was asked for its open items, and the reason. */
export interface UnreachableRun {
  readonly workflowId: string;
  readonly taskQueue: string;
  readonly reason: string;
}

/** The items of all running runs that wait for a person, and the runs whose items are not known. */
export interface Inbox {
  /** The oldest first. */
  readonly items: readonly InboxItem[];
  /** How many more there are above the limit. */
  readonly more: number;
  /** Runs that do not answer, most often since no worker is there; their open items are not known. */
  readonly unreachable: readonly UnreachableRun[];
  /** Running runs that were left out, since 1000 are asked; their open items are not known. */
  readonly notAsked: number;
}

interface Reach {
  readonly client: Client;
  readonly place: Place;
  readonly handleOf: (workflowId: string, taskQueue: string) => RunHandle;
}

const DEFAULT_LIMIT = 100;
const AT_ONCE = 20;

/** @throws ClientError when the server does not answer. */
export async function readInbox(reach: Reach, { role, limit = DEFAULT_LIMIT }: InboxOptions = {}): Promise<Inbox> {
  const { runs, notAsked } = await findRuns(reach.client, reach.place, role);
  const queues = new Map<string, Promise<boolean>>();
  const items: InboxItem[] = [];
  const unreachable: UnreachableRun[] = [];
  await eachAtOnce(runs, async (run) => {
    const { workflowId, taskQueue } = run;
    if (!queues.has(taskQueue)) queues.set(taskQueue, hasWorker(reach.client, reach.place, taskQueue));
    if (!(await queues.get(taskQueue))) {
      unreachable.push({ ...run, reason: `no worker on task queue ${taskQueue}` });
      return;
    }
    try {
      for await (const item of reach.handleOf(workflowId, taskQueue).questions()) {
        if (isFor(role, item)) items.push({ ...item, taskQueue });
      }
    } catch (error) {
      const code = passingCode(error);
      if (code === 'no-server') throw error;
      // Its worker has just gone; the other runs would be waited for as long as this one was.
      if (code === 'no-worker') queues.set(taskQueue, Promise.resolve(false));
      unreachable.push({ ...run, reason: error instanceof Error ? error.message : String(error) });
    }
  });
  // Times of one form sort as texts; equal ones by their run, so that the order is always the same.
  items.sort((a, b) => compare(a.since, b.since) || compare(a.workflowId, b.workflowId));
  const more = Math.max(0, items.length - limit);
  return { items: items.slice(0, limit), more, unreachable, notAsked };
}

function isFor(role: string | undefined, { roles }: OpenItem): boolean {
  return role === undefined || roles === undefined || roles.includes(role);
}

async function eachAtOnce<T>(list: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  let next = 0;
  const take = async () => {
    for (let one = list[next++]; one !== undefined; one = list[next++]) await work(one);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
