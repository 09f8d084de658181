/** The items that the runs of a namespace wait for a person to answer, in one list, and those that are alike together. */

import type { Client } from '@temporalio/client';
import { given, type OpenItem } from '../protocol/index.ts';
import type { ClientAddress } from './client-error.ts';
import { askRuns, findRuns, type UnreachableRun } from './reach/index.ts';
import type { RunHandle } from './run-handle.ts';

/** The options of `PlanClient.inbox`: the role that items wait for, their plan, and how many are listed. */
export interface InboxOptions {
  /** Only what waits for this role or for anybody. Default: everything. */
  readonly role?: string | undefined;
  /** Only what is about the plan with this digest, or these first digits of it. Default: all plans. */
  readonly plan?: string | undefined;
  /** Items listed. Default 100. */
  readonly limit?: number | undefined;
}

/** An item that waits for a person, with the task queue of its run. */
export interface InboxItem extends OpenItem {
  readonly taskQueue: string;
}

/** A run as its approver saw it; its plan may have changed since. */
export interface ShownRun {
  readonly workflowId: string;
  readonly revision: number;
  /** How often it had asked again. */
  readonly asked?: number;
}

/** Items that ask the same of equal plans: one word can answer all of them, run by run. */
export interface InboxGroup {
  /** The one that waits longest. */
  readonly first: InboxItem;
  readonly count: number;
  /** The one that waits longest first. */
  readonly runs: readonly ShownRun[];
}

/** The items of all running runs that wait for a person, and the runs whose items are not known. */
export interface Inbox {
  /** The oldest first. */
  readonly items: readonly InboxItem[];
  /** How many more there are above the limit. */
  readonly more: number;
  /** All of them, also those above the limit, by what they ask; the oldest first, and as many as the limit. */
  readonly groups: readonly InboxGroup[];
  /** Runs that do not answer, most often since no worker is there; their open items are not known. */
  readonly unreachable: readonly UnreachableRun[];
  /** Running runs that were left out, since 1000 are asked; their open items are not known. */
  readonly notAsked: number;
}

interface Reach {
  readonly client: Client;
  readonly place: ClientAddress;
  readonly handleOf: (workflowId: string, taskQueue: string) => RunHandle;
}

/**
 * @bound [approving] items of the inbox, by default
 * @beyond `more` counts all
 */
const DEFAULT_LIMIT = 100;

/** @throws ClientError when the server does not answer. */
export async function readInbox(reach: Reach, options: InboxOptions = {}): Promise<Inbox> {
  const { role, plan = '', limit = DEFAULT_LIMIT } = options;
  const { runs, notAsked } = await findRuns(reach.client, reach.place, role);
  const { answers, unreachable } = await askRuns(reach, runs, async ({ workflowId, taskQueue }) => {
    const { open } = await reach.handleOf(workflowId, taskQueue).view(['open']);
    return open.map((item): InboxItem => ({ ...item, taskQueue }));
  });
  const isWanted = (item: OpenItem) => isFor(role, item) && item.digest.startsWith(plan.toLowerCase());
  // Times of one form sort as texts; equal ones by their run, so that the order is always the same.
  const items = [...answers.values()]
    .flat()
    .filter(isWanted)
    .toSorted((a, b) => compare(a.since, b.since) || compare(a.workflowId, b.workflowId));
  const more = Math.max(0, items.length - limit);
  const groups = groupsOf(items);
  return {
    items: items.slice(0, limit),
    more,
    groups: groups.slice(0, limit),
    unreachable,
    notAsked,
  };
}

function groupsOf(items: readonly InboxItem[]): readonly InboxGroup[] {
  const groups = new Map<string, InboxItem[]>();
  for (const item of items) {
    const { kind, digest, id, roles, missing, text } = item;
    // Of an approval the text names the people who have approved so far.
    const key = JSON.stringify([kind, digest, shownIn(item), id, roles, kind === 'approval' ? missing : text]);
    const alike = groups.get(key);
    if (alike === undefined) groups.set(key, [item]);
    else alike.push(item);
  }
  return [...groups.values()].map((alike) => {
    return { first: alike[0]!, count: alike.length, runs: alike.map(shownRun) };
  });
}

export function shownRun({ workflowId, revision, send }: OpenItem): ShownRun {
  return { workflowId, revision, ...given({ asked: send.input['asked'] as number | undefined }) };
}

/** What people see of an item that its digest does not have, as text: versions, costs and previews. */
export function shownIn({ versions, send, effects = [] }: OpenItem): string {
  return JSON.stringify([versions, send.input['asked'], effects.map(({ node, cost, shows }) => [node, cost, shows])]);
}

function isFor(role: string | undefined, { roles }: OpenItem): boolean {
  return role === undefined || roles === undefined || roles.includes(role);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
