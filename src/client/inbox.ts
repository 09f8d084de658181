import type { Client } from '@temporalio/client';
import { groupsBy } from '../plan/index.ts';
import { given, type OpenItem } from '../protocol/index.ts';
import type { ClientAddress } from './client-error.ts';
import { askRuns, findRuns, type UnreachableRun } from './reach/index.ts';
import type { RunHandle } from './run-handle.ts';

/** The options of `PlanClient.inbox`. */
export interface InboxOptions {
  /** Only items for this role or for anybody. Default: all. */
  readonly role?: string | undefined;
  /** Only items about the plan with this digest, or its first digits. Default: all plans. */
  readonly plan?: string | undefined;
  /** Maximum number of items. Default 100. */
  readonly limit?: number | undefined;
}

/** An item that waits for a person, with the task queue of its run. */
export interface InboxItem extends OpenItem {
  readonly taskQueue: string;
}

/** A run in the state that a person saw. Its plan may have changed since then. */
export interface SeenRun {
  readonly workflowId: string;
  readonly revision: number;
  /** The hash of the costs and states. */
  readonly shown?: string;
}

/** Items that ask the same about equal plans. One decision can answer all, with a message to each run. */
export interface InboxGroup {
  readonly first: InboxItem;
  readonly count: number;
  /** The runs, oldest item first. */
  readonly runs: readonly SeenRun[];
}

/** The items of all running runs, and the runs whose items are unknown. */
export interface Inbox {
  readonly items: readonly InboxItem[];
  /** The number of items above the limit. */
  readonly more: number;
  /** All items in groups, even those above the limit; the oldest first, at most `limit` groups. */
  readonly groups: readonly InboxGroup[];
  /** Runs that do not answer, usually because they have no worker. Their items are unknown. */
  readonly unreachable: readonly UnreachableRun[];
  /** How many running runs were not queried, since at most 1000 are. Their items are unknown. */
  readonly notAsked: number;
}

interface InboxSource {
  readonly client: Client;
  readonly place: ClientAddress;
  readonly handleOf: (workflowId: string, taskQueue: string) => RunHandle;
}

const DEFAULT_LIMIT = 100;

/** Reads the inbox. @throws ClientError if the server does not answer */
export async function readInbox(reach: InboxSource, options: InboxOptions = {}): Promise<Inbox> {
  const { role, plan = '', limit = DEFAULT_LIMIT } = options;
  const { runs, notAsked } = await findRuns(reach.client, reach.place, role);
  const { answers, unreachable } = await askRuns(reach, runs, async ({ workflowId, taskQueue }) => {
    const { open } = await reach.handleOf(workflowId, taskQueue).view(['open']);
    return open.map((item): InboxItem => ({ ...item, taskQueue }));
  });
  const isWanted = (item: OpenItem) => isFor(role, item) && item.digest.startsWith(plan.toLowerCase());
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
  const groups = groupsBy(items, (item) => {
    const { kind, digest, id, roles, missing, text } = item;
    // Approvals are compared by what is missing, since their text names the people who have approved so far.
    return JSON.stringify([kind, digest, visibleFacts(item), id, roles, kind === 'approval' ? missing : text]);
  });
  return [...groups.values()].map((alike) => ({ first: alike[0]!, count: alike.length, runs: alike.map(seenRun) }));
}

export function seenRun({ workflowId, revision, shown }: OpenItem): SeenRun {
  return { workflowId, revision, ...given({ shown }) };
}

/** The facts of an item that its digest does not cover (versions, costs and previews), as text. */
export function visibleFacts({ versions, shown }: OpenItem): string {
  return JSON.stringify([versions, shown]);
}

function isFor(role: string | undefined, { roles }: OpenItem): boolean {
  return role === undefined || roles === undefined || roles.includes(role);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
