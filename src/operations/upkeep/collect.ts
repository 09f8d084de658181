/**
 * Removes data of runs that no server knows any more. Each run has all its data, including copies of reused results, in
 * its own scope, so nothing else is lost.
 */

import { WorkflowNotFoundError } from '@temporalio/client';
import type { ConnectedClient } from '../../client/index.ts';
import { jsonIn, quoteId } from '../../plan/text/index.ts';
import { isRecord } from '../../protocol/index.ts';
import {
  CONVERSATIONS,
  DOCUMENTS,
  AGENTS,
  inParallel,
  ownerOf,
  resultsIn,
  STARTS,
  type Store,
} from '../../store/index.ts';
import type { Waiting } from '../operation.ts';
import { added, createProgress, NO_AMOUNT, NOTHING, plus, PROBE, runOfKey, sharesOf } from './keys.ts';
import { largestOf } from './read-store.ts';
import type { Amount, Share } from './keys.ts';

export type StoreNamespace = Pick<ConnectedClient, 'client' | 'namespace' | 'address'>;

export interface CollectOptions extends Pick<Waiting, 'onProgress' | 'signal'> {
  readonly remove: boolean;
  readonly gone?: readonly string[];
  /** Confirms that runs were deleted on purpose if a server should still know them. Their data are removed too. */
  readonly deleted?: boolean;
  /** Age in days after which unchanged conversations are removed too. Default: they stay. */
  readonly olderThan?: number | undefined;
  readonly ageMs?: number;
}

/** Thrown if nobody can tell which data are still needed. */
export class Unsure extends Error {
  override readonly name = 'Unsure';
  constructor(why: string) {
    super(`${why}. Nothing was removed`);
  }
}

/** @bound age below which `store gc` removes nothing @beyond it goes if no server knows its run */
const DAY_MS = 86_400_000;
/**
 * Age in ms above which no run needs a stored document. Schedules have copies.
 * @bound age of a document that a client has left for a run @beyond `store gc --remove` removes it
 */
const DOCUMENTS_MS = 30 * DAY_MS;
const AT_ONCE = 20;
/** Number of runs that are removed together, which limits the number of keys in memory. */
const TOGETHER = 100;
const NAMED = 5;

/**
 * Lists the runs of the store before it asks the servers, so that a run that starts meanwhile is not among them.
 * @returns `runs` that stay; `goneRuns` that no server knows; `notAsked`, runs of other namespaces by name, which stay;
 * the `largest`; what is `removable` and what was removed @throws Unsure if nobody can know what is needed; StoreError
 */
export async function collect(store: Store, places: readonly StoreNamespace[], options: CollectOptions) {
  const { remove, gone = [], deleted = false, olderThan, onProgress, signal, ageMs = DAY_MS } = options;
  const now = await timeOf(store);
  const { shares, amounts, started } = await sharesOf(store, options, now - DOCUMENTS_MS);
  const servers = await Promise.all(places.map(termsOf));
  const doomed: Share[] = [];
  const early: string[] = [];
  const notAsked: Record<string, number> = {};
  let [runs, goneRuns] = [0, 0];
  const count = createProgress(onProgress, 'asked for');
  await inParallel(AT_ONCE, shares, async (share) => {
    signal?.throwIfAborted();
    count();
    if (share.scope.startsWith(CONVERSATIONS)) {
      if (olderThan !== undefined && share.newest < now - olderThan * DAY_MS) doomed.push(share);
    } else if (share.scope === DOCUMENTS) doomed.push(share);
    else if (await isNeeded(share)) runs += 1;
    else {
      goneRuns += 1;
      doomed.push(share);
    }
  });
  if (early.length > 0 && !deleted) {
    const others = early.length > NAMED ? ` and ${early.length - NAMED} more` : '';
    throw new Unsure(
      `the store has something of ${early.slice(0, NAMED).join(', ')}${others} that is younger than the retention of the namespace, and the server does not know the run${early.length === 1 ? '' : 's'}: ` +
        'it was restored from an earlier backup, or somebody deleted them. Give --deleted if they were deleted',
    );
  }
  const removable = doomed.reduce((sum, share) => added(sum, share.scope, share), NOTHING);
  const found = { runs, goneRuns, notAsked, amounts, largest: await largestOf(store, shares), removable };
  if (!remove) return { ...found, removed: undefined };
  let removed = NO_AMOUNT;
  for (let at = 0; at < doomed.length; at += TOGETHER) {
    const some = doomed.slice(at, at + TOGETHER);
    removed = plus(removed, await removeAll(store, some, now - DOCUMENTS_MS, signal));
  }
  const owners = new Set(doomed.map(({ scope }) => ownerOf(scope)).filter((owner) => started.has(owner)));
  await inParallel(AT_ONCE, [...owners], (owner) => forgetStarts(store, owner));
  return { ...found, removed };

  async function isNeeded({ scope, newest, hasAgents }: Share): Promise<boolean> {
    if (newest >= now - ageMs) return true;
    const { workflowId, namespace = '', namespaceId = '' } = await runOfKey(store, scope);
    if (workflowId === undefined) return keptFor('unknown');
    if (gone.includes(namespaceId)) return false;
    const server = servers.find(({ id }) => id === namespaceId);
    if (server === undefined) return keptFor(`${namespace} (${namespaceId})`);
    const agents = hasAgents ? await agentsOf(resultsIn(store, scope)) : [];
    for (const id of [workflowId, ...agents]) if (await isKnown(server, id)) return true;
    if (newest > now - server.retentionMs) early.push(quoteId(workflowId));
    return false;
  }

  /** Counts a run of another namespace. This server does not know such runs, so they stay. */
  function keptFor(name: string): true {
    notAsked[name] = (notAsked[name] ?? 0) + 1;
    return true;
  }
}

/** The workflow ids of a run's agents. The server may know them longer than the run. */
async function agentsOf(results: ReturnType<typeof resultsIn>): Promise<readonly string[]> {
  const ids = await Promise.all(
    (await results.names(AGENTS)).map(async (name) => jsonIn((await results.entry(name)) ?? '')),
  );
  return ids.flatMap((one) => (isRecord(one) && typeof one['workflowId'] === 'string' ? [one['workflowId']] : []));
}

/** The current time in ms since 1970 by the store's clock, which also dates the keys. */
async function timeOf(store: Store): Promise<number> {
  const probe = `${PROBE}${crypto.randomUUID()}`;
  await store.put(probe, new Uint8Array());
  let now = Date.now();
  for await (const { at } of store.list(probe)) now = at;
  await store.remove([probe]);
  return now;
}

/**
 * Removes runs, their plans first and their ids last, since a run that reuses results checks afterwards that the plan
 * still exists. Removes many at once: a bucket takes 1,000 keys in one request.
 */
async function removeAll(
  store: Store,
  doomed: readonly Share[],
  documentsBefore: number,
  signal?: AbortSignal,
): Promise<Amount> {
  const turns: [string[], string[], string[]] = [[], [], []];
  let removed = NO_AMOUNT;
  await inParallel(AT_ONCE, doomed, async ({ scope }) => {
    const before = scope === DOCUMENTS ? documentsBefore : Infinity;
    for await (const { key, bytes, at } of store.list(`${scope}/`)) {
      if (at >= before) continue;
      turns[key.endsWith('/plan') ? 0 : key === `${scope}/run` ? 2 : 1].push(key);
      removed = plus(removed, { count: 1, bytes });
    }
  });
  for (const keys of turns) {
    signal?.throwIfAborted();
    await store.remove(keys);
  }
  return removed;
}

/** Removes signed start messages, unless a run that they may have started still exists. */
async function forgetStarts(store: Store, owner: string): Promise<void> {
  const keys: string[] = [];
  for await (const { key } of store.list(`${owner}/`)) {
    if (!key.startsWith(`${owner}/${STARTS}/`)) return;
    keys.push(key);
  }
  await store.remove(keys);
}

/** Adds the namespace's id, since namespaces of two servers may share a name, and how long it keeps closed runs. */
async function termsOf(place: StoreNamespace) {
  const { client, namespace } = place;
  const { namespaceInfo, config } = await client.workflowService.describeNamespace({ namespace });
  const retentionMs = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1000;
  return { ...place, id: namespaceInfo?.id ?? '', retentionMs };
}

async function isKnown({ client }: StoreNamespace, workflowId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
