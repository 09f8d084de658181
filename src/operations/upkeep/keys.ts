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

export interface Amount {
  readonly count: number;
  readonly bytes: number;
}
export type Amounts = Readonly<Record<(typeof KINDS)[number], Amount>>;

const KINDS = ['runs', 'conversations', 'documents', 'other'] as const;
export const NO_AMOUNT: Amount = { count: 0, bytes: 0 };
export const NOTHING: Amounts = { runs: NO_AMOUNT, conversations: NO_AMOUNT, documents: NO_AMOUNT, other: NO_AMOUNT };

export function plus(one: Amount, other: Amount): Amount {
  return { count: one.count + other.count, bytes: one.bytes + other.bytes };
}

/** Adds an amount to the total of its kind. @param key the key of the added item, or its scope */
export function added(amounts: Amounts, key: string, amount: Amount): Amounts {
  const kind = KINDS.find((one) => key === one || key.startsWith(`${one}/`)) ?? 'other';
  return { ...amounts, [kind]: plus(amounts[kind], amount) };
}

/** The keys of one run with its agents, of one conversation, or of old documents. */
export interface Share extends Amount {
  readonly scope: string;
  readonly newest: number;
  readonly hasAgents: boolean;
}

/**
 * Lists the keys of a store by owner.
 * @param documentsBefore milliseconds since 1970; younger documents are omitted
 * @returns `started`: owners with signed starts
 * @throws StoreError `unreadable`
 */
export async function sharesOf(store: Store, { onProgress, signal }: Waiting, documentsBefore = 0) {
  const count = createProgress(onProgress, 'listed');
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
    shares.set(scope, { scope, newest, hasAgents, ...plus(before ?? NO_AMOUNT, { count: 1, bytes }) });
  };
  await inParallel(AT_ONCE, listsOf(store), async (list) => {
    for await (const found of list) takeIn(found);
  });
  return { amounts, shares: [...shares.values()], started };
}

/** Lists every key once, in several parts for parallel reading, since a bucket takes 100 ms for 1,000 keys. */
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

/** The ids that a run has stored in its scope; empty if it has stored none. */
export interface NotedRun {
  readonly workflowId?: string;
  readonly namespace?: string;
  readonly namespaceId?: string;
}

export async function runOfKey(store: Store, scope: string): Promise<NotedRun> {
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

/** The prefix of keys that are written only to test whether a store works. */
export const PROBE = 'probe/';
/** Number of keys to read in parallel: a remote store answers many requests as fast as one. */
const AT_ONCE = 32;
/** Items above this size, in bytes, are processed one at a time, to limit memory. */
const LARGE = 16_777_216;

/**
 * Calls a function for each key. After a failure, waits for running calls and throws the first error.
 * @throws the reason of `signal` on abort
 */
export async function eachKey(
  store: Store,
  verb: string,
  work: (found: Found) => Promise<void>,
  { onProgress, signal }: Waiting,
): Promise<void> {
  const count = createProgress(onProgress, verb);
  let large = Promise.resolve();
  await inParallel(AT_ONCE, store.list(''), async (found) => {
    signal?.throwIfAborted();
    if (found.key.startsWith(PROBE)) return;
    await (found.bytes > LARGE ? (large = large.then(() => work(found))) : work(found));
    count();
  });
}

const TELL_MS = 5000;

export function createProgress(onProgress: Waiting['onProgress'], verb: string): () => void {
  let done = 0;
  let toldAt = performance.now();
  return () => {
    done += 1;
    if (performance.now() - toldAt < TELL_MS) return;
    toldAt = performance.now();
    onProgress?.({ is: 'progress', text: `${verb} ${counted(done, 'thing')}` });
  };
}
