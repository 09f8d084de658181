/** One way over the keys of a store: how many there are, whose they are, and work on each. */

import { counted, jsonIn } from '../../plan/text/index.ts';
import { isRecord } from '../../protocol/index.ts';
import {
  DOCUMENTS,
  AGENTS,
  inParallel,
  ownerOf,
  resultsIn,
  RUNS,
  scopeOf,
  STARTS,
  type Found,
  type Store,
} from '../../store/index.ts';
import type { Waiting } from '../operation.ts';

/** How many keys there are, and their bytes. */
export interface Amount {
  readonly count: number;
  readonly bytes: number;
}
export type Amounts = Readonly<Record<(typeof KINDS)[number], Amount>>;

const KINDS = ['runs', 'conversations', 'documents', 'other'] as const;
export const NONE: Amount = { count: 0, bytes: 0 };
export const NOTHING: Amounts = { runs: NONE, conversations: NONE, documents: NONE, other: NONE };

export function plus(one: Amount, other: Amount): Amount {
  return { count: one.count + other.count, bytes: one.bytes + other.bytes };
}

/** @param key of what is added, or the scope of it */
export function added(amounts: Amounts, key: string, amount: Amount): Amounts {
  const kind = KINDS.find((one) => key === one || key.startsWith(`${one}/`)) ?? 'other';
  return { ...amounts, [kind]: plus(amounts[kind], amount) };
}

/** All that the store has of one run with its agents, of one conversation, or of old documents. */
export interface Share extends Amount {
  readonly scope: string;
  /** When something was put there last, in milliseconds since 1970. */
  readonly newest: number;
  /** It has agents. */
  readonly hasAgents: boolean;
}

/**
 * @param documentsBefore documents that are younger have no share
 * @returns `started`: the owners that have signed starts
 * @throws StoreError `unreadable`
 */
export async function sharesOf(store: Store, { hear, signal }: Waiting, documentsBefore = 0) {
  const count = createProgress(hear, 'listed');
  const shares = new Map<string, Share>();
  const started = new Set<string>();
  let amounts = NOTHING;
  const takeIn = ({ key, bytes, at }: Found): void => {
    signal?.throwIfAborted();
    count();
    if (key.startsWith(PROBE)) return;
    amounts = added(amounts, key, { count: 1, bytes });
    const scope = scopeOf(key);
    if (scope === undefined && key.includes(`/${STARTS}/`)) started.add(ownerOf(key));
    if (scope === undefined || (scope === DOCUMENTS && at >= documentsBefore)) return;
    const before = shares.get(scope);
    const newest = Math.max(before?.newest ?? 0, at);
    const hasAgents = before?.hasAgents === true || key.startsWith(`${scope}/${AGENTS}`);
    shares.set(scope, { scope, newest, hasAgents, ...plus(before ?? NONE, { count: 1, bytes }) });
  };
  await inParallel(AT_ONCE, listsOf(store), async (list) => {
    for await (const found of list) takeIn(found);
  });
  return { amounts, shares: [...shares.values()], started };
}

/** Every key once, in lists that are read at once: a bucket takes 100 ms for each 1,000 keys of one. Owners of runs are hex digits. */
function listsOf(store: Store): readonly AsyncIterable<Found>[] {
  const owners = '0123456789abcdef_-'.split('').map((first) => store.list(`${RUNS}${first}`));
  return [beforeRuns(store), ...owners, store.list('', `${RUNS}g`)];
}

async function* beforeRuns(store: Store): AsyncGenerator<Found> {
  for await (const found of store.list('')) {
    if (found.key.startsWith(RUNS)) return;
    yield found;
  }
}

/** The ids of a run, as it has noted them itself; empty where it has not. */
export interface NotedRun {
  readonly workflowId?: string;
  readonly namespace?: string;
  readonly namespaceId?: string;
}

export async function runOf(store: Store, scope: string): Promise<NotedRun> {
  const noted = await resultsIn(store, scope)
    .entry('run')
    .catch(() => undefined);
  const found = jsonIn(noted ?? '');
  if (!isRecord(found)) return {};
  const { workflowId, namespace, namespaceId } = found;
  return typeof workflowId === 'string' && typeof namespace === 'string' && typeof namespaceId === 'string'
    ? { workflowId, namespace, namespaceId }
    : {};
}

/** What a store puts to try itself. */
export const PROBE = 'probe/';
/** Keys that are worked on at once: a store behind a network answers many as fast as one. */
const AT_ONCE = 32;
/** Larger things are worked on one by one, so that not many of them are in memory. In bytes. */
const LARGE = 16_777_216;

/**
 * Works on each key as it comes. Fails as the first one that failed, when what was under way has ended.
 * @throws the reason of `signal` where it is aborted
 */
export async function eachKey(
  store: Store,
  verb: string,
  work: (found: Found) => Promise<void>,
  { hear, signal }: Waiting,
): Promise<void> {
  const count = createProgress(hear, verb);
  const keys = store.list('')[Symbol.asyncIterator]();
  const failed: unknown[] = [];
  let large = Promise.resolve();
  const inTurn = (found: Found): Promise<void> => (large = large.then(() => work(found)));
  const one = async (): Promise<void> => {
    while (failed.length === 0) {
      try {
        signal?.throwIfAborted();
        const next = await keys.next();
        if (next.done === true) return;
        const found: Found = next.value;
        if (!found.key.startsWith(PROBE)) await (found.bytes > LARGE ? inTurn(found) : work(found));
        count();
      } catch (error) {
        failed.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  if (failed.length > 0) throw failed[0];
}

const TELL_MS = 5000;

/** Counts what is done, and tells it every few seconds. */
export function createProgress(hear: Waiting['hear'], verb: string): () => void {
  let done = 0;
  let toldAt = performance.now();
  return () => {
    done += 1;
    if (performance.now() - toldAt < TELL_MS) return;
    toldAt = performance.now();
    hear?.({ is: 'progress', text: `${verb} ${counted(done, 'thing')}` });
  };
}
