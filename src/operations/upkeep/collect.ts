/**
 * Takes away what belongs to runs that no server knows any more. Everything of a run stands below its scope, so that nothing else can go
 * with it: what one run took over from another it has itself.
 */

import { WorkflowNotFoundError } from '@temporalio/client';
import pLimit from 'p-limit';
import type { ConnectedClient } from '../../client/index.ts';
import { jsonIn, quote } from '../../plan/text/index.ts';
import { isRecord } from '../../protocol/index.ts';
import {
  childrenOf,
  CONVERSATIONS,
  DOCUMENTS,
  resultsIn,
  RUNS,
  scopeOf,
  STARTS,
  type Found,
  type Store,
} from '../../store/index.ts';
import { more, NOTHING, plus, runOf, type Amount, type Amounts } from './measure-store.ts';
import { createProgress, type Hear } from './progress.ts';

/** A namespace whose runs may use the store. */
export type Place = Pick<ConnectedClient, 'client' | 'namespace' | 'address'>;

export interface CollectOptions {
  /** False: tells what would be removed. */
  readonly remove: boolean;
  /** Ids of namespaces that are gone for good. */
  readonly gone?: readonly string[];
  /** Runs that the servers should still know and do not were deleted there by somebody. */
  readonly deleted?: boolean;
  /** Conversations that nothing was added to for so many days go too. Default: they stay. */
  readonly olderThan?: number | undefined;
  readonly hear?: Hear | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What was stored for less than so long is kept, in milliseconds. Default: 24 hours. */
  readonly ageMs?: number;
}

export interface Collected {
  /** Runs that a server knows, and those that are kept for another reason. */
  readonly runs: number;
  /** Runs of which the store has something, and no server knows them. */
  readonly goneRuns: number;
  /** Runs of namespaces that were not asked, by the name of each; they are kept. */
  readonly notAsked: Readonly<Record<string, number>>;
  /** What the store has, and what of it nobody needs. */
  readonly amounts: Amounts;
  readonly removable: Amounts;
  /** Absent where nothing was to be removed. */
  readonly removed?: Amount;
}

/** It cannot be told what the store may do without. */
export class Unsure extends Error {
  override readonly name = 'Unsure';
  constructor(why: string) {
    super(`${why}. Nothing was removed`);
  }
}

const DAY_MS = 86_400_000;
/** A Schedule carries its plan itself; a run reads the document that its client has left when it begins. */
const DOCUMENTS_MS = 30 * DAY_MS;
/** Runs that the server is asked about at once. */
const AT_ONCE = 20;
const REMOVED_AT_ONCE = 1000;
/** Runs that are named in a message. */
const NAMED = 5;

/** What the store has below one scope. */
interface Share {
  readonly scope: string;
  amounts: Amounts;
  newest: number;
}

/**
 * Lists the runs of the store first and asks the servers then, so that a run that begins meanwhile is none of them. An error, of a server
 * too, ends it.
 * @throws Unsure where it cannot be told what is needed; StoreError
 */
export async function collect(store: Store, places: readonly Place[], options: CollectOptions): Promise<Collected> {
  const { remove, gone = [], deleted = false, olderThan, hear, signal, ageMs = DAY_MS } = options;
  const { shares, amounts, now } = await sharesOf(store, createProgress(hear, 'listed'), signal);
  const servers = await Promise.all(places.map(termsOf));
  const doomed: Share[] = [];
  const early: string[] = [];
  const notAsked: Record<string, number> = {};
  let [runs, goneRuns] = [0, 0];
  const limit = pLimit(AT_ONCE);
  const told = createProgress(hear, 'asked for');
  await limit.map(shares, async (share) => {
    signal?.throwIfAborted();
    told();
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
  const all = doomed.map(({ amounts: one }) => one);
  const removable = all.reduce((sum, one) => added(sum, one), NOTHING);
  const found = { runs, goneRuns, notAsked, amounts, removable };
  if (!remove) return found;
  let removed: Amount = { count: 0, bytes: 0 };
  for (const { scope } of doomed) {
    const before = scope === DOCUMENTS ? now - DOCUMENTS_MS : Infinity;
    for await (const one of removedBelow(store, `${scope}/`, before, signal)) removed = more(removed, one.bytes);
  }
  await forgetStarts(store, doomed);
  return { ...found, removed };

  async function isNeeded({ scope, newest }: Share): Promise<boolean> {
    if (newest >= now - ageMs) return true;
    const { workflowId, namespace = '', namespaceId = '' } = await runOf(store, scope);
    if (workflowId === undefined) return keptFor('unknown');
    if (gone.includes(namespaceId)) return false;
    const server = servers.find(({ id }) => id === namespaceId);
    if (server === undefined) return keptFor(`${namespace} (${namespaceId})`);
    const results = resultsIn(store, scope);
    for (const id of [workflowId, ...(await familyOf(results))]) if (await isKnown(server, id)) return true;
    if (newest > now - server.retentionMs) early.push(quote(workflowId));
    return false;
  }

  /** Another server knows none of these runs, and each would seem to be needed by nobody. */
  function keptFor(name: string): true {
    notAsked[name] = (notAsked[name] ?? 0) + 1;
    return true;
  }
}

/** The runs of agents may go on when that for which they work is forgotten. */
async function familyOf(results: ReturnType<typeof resultsIn>): Promise<readonly string[]> {
  const ids = await Promise.all(
    (await results.names('family/')).map(async (name) => jsonIn((await results.entry(name)) ?? '')),
  );
  return ids.flatMap((one) => (isRecord(one) && typeof one['workflowId'] === 'string' ? [one['workflowId']] : []));
}

async function sharesOf(store: Store, told: () => void, signal?: AbortSignal) {
  const now = await timeOf(store);
  const shares = new Map<string, Share>();
  let amounts = NOTHING;
  for await (const one of store.list('')) {
    signal?.throwIfAborted();
    told();
    if (one.key.startsWith('probe/')) continue;
    amounts = plus(amounts, one);
    const scope = scopeOf(one.key);
    // Of documents each goes by itself.
    if (scope === undefined || (scope === DOCUMENTS && one.at >= now - DOCUMENTS_MS)) continue;
    const share = shares.get(scope) ?? { scope, amounts: NOTHING, newest: 0 };
    shares.set(scope, share);
    share.amounts = plus(share.amounts, one);
    share.newest = Math.max(share.newest, one.at);
  }
  return { shares: [...shares.values()], amounts, now };
}

/** By the clock of the store, which tells when things were put. In milliseconds since 1970. */
async function timeOf(store: Store): Promise<number> {
  const probe = `probe/${crypto.randomUUID()}`;
  await store.put(probe, new Uint8Array());
  let now = Date.now();
  for await (const { at } of store.list(probe)) now = at;
  await store.remove([probe]);
  return now;
}

function added(one: Amounts, other: Amounts): Amounts {
  const names = Object.keys(one) as (keyof Amounts)[];
  const sum = (name: keyof Amounts): Amount => ({
    count: one[name].count + other[name].count,
    bytes: one[name].bytes + other[name].bytes,
  });
  return Object.fromEntries(names.map((name) => [name, sum(name)])) as Amounts;
}

/**
 * The plans go first: without its plan no run can go on from this one, and one that has begun to looks for the plan again when it has
 * found what was finished. The ids of the run go last.
 */
async function* removedBelow(
  store: Store,
  prefix: string,
  before: number,
  signal?: AbortSignal,
): AsyncGenerator<Found> {
  let last: Found[] = [];
  for (const isPlan of [true, false]) {
    let some: Found[] = [];
    for await (const one of store.list(prefix)) {
      if (one.key.endsWith('/plan') !== isPlan || one.at >= before) continue;
      if (one.key === `${prefix}run`) last = [one];
      else some.push(one);
      if (some.length < REMOVED_AT_ONCE) continue;
      yield* await taken(some);
      some = [];
    }
    yield* await taken(some);
  }
  yield* await taken(last);

  async function taken(some: readonly Found[]): Promise<readonly Found[]> {
    signal?.throwIfAborted();
    await store.remove(some.map(({ key }) => key));
    return some;
  }
}

/** Signed starts are kept as long as anything is of a run that they could have begun. */
async function forgetStarts(store: Store, doomed: readonly Share[]): Promise<void> {
  const owners = new Set(
    doomed.flatMap(({ scope }) => (scope.startsWith(RUNS) ? [scope.split('/', 2).join('/')] : [])),
  );
  for (const owner of owners) {
    const keys: string[] = [];
    let isAlone = true;
    for await (const name of childrenOf(store, `${owner}/`)) isAlone &&= name === STARTS;
    if (isAlone) for await (const { key } of store.list(`${owner}/`)) keys.push(key);
    await store.remove(keys);
  }
}

/** Its id, since two servers may have a namespace of one name, and how long the server keeps a closed run. */
async function termsOf(place: Place) {
  const { client, namespace } = place;
  const { namespaceInfo, config } = await client.workflowService.describeNamespace({ namespace });
  const retentionMs = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1000;
  return { ...place, id: namespaceInfo?.id ?? '', retentionMs };
}

async function isKnown({ client }: Place, workflowId: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId).describe();
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}
