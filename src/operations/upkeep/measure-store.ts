/** How much a store has, and whose it is. */

import { isRecord } from '../../protocol/index.ts';
import { jsonIn } from '../../plan/text/index.ts';
import { DOCUMENTS, resultsIn, scopeOf, type Found, type Store } from '../../store/index.ts';

/** How many keys there are, and their bytes. */
export interface Amount {
  readonly count: number;
  readonly bytes: number;
}
export type Amounts = Readonly<Record<(typeof KINDS)[number], Amount>>;

const KINDS = ['runs', 'conversations', 'documents', 'other'] as const;
const NONE: Amount = { count: 0, bytes: 0 };
export const NOTHING: Amounts = { runs: NONE, conversations: NONE, documents: NONE, other: NONE };

export function plus(amounts: Amounts, { key, bytes }: Pick<Found, 'key' | 'bytes'>): Amounts {
  const kind = KINDS.find((one) => key.startsWith(`${one}/`)) ?? 'other';
  return { ...amounts, [kind]: more(amounts[kind], bytes) };
}

export function more({ count, bytes: before }: Amount, bytes: number): Amount {
  return { count: count + 1, bytes: before + bytes };
}

export function totalOf(amounts: Amounts): Amount {
  const all = Object.values(amounts);
  return { count: all.reduce((sum, one) => sum + one.count, 0), bytes: all.reduce((sum, one) => sum + one.bytes, 0) };
}

/** All that the store has of one run with its agents, or of one conversation. */
export interface Share extends Amount {
  readonly scope: string;
  /** Absent of a conversation, whose name the store does not know. */
  readonly workflowId?: string;
}

/** Shares that are told, the largest. */
const MOST_TOLD = 20;

/** @throws StoreError `unreadable` */
export async function measureStore(
  store: Store,
  signal?: AbortSignal,
): Promise<{ readonly amounts: Amounts; readonly largest: readonly Share[] }> {
  let amounts = NOTHING;
  const shares = new Map<string, Amount>();
  for await (const one of store.list('')) {
    signal?.throwIfAborted();
    amounts = plus(amounts, one);
    const scope = scopeOf(one.key);
    if (scope !== undefined && scope !== DOCUMENTS) shares.set(scope, more(shares.get(scope) ?? NONE, one.bytes));
  }
  const largest = [...shares].toSorted(([, a], [, b]) => b.bytes - a.bytes).slice(0, MOST_TOLD);
  const told = await Promise.all(
    largest.map(async ([scope, amount]): Promise<Share> => {
      const { workflowId } = await runOf(store, scope);
      return { ...(workflowId !== undefined && { workflowId }), scope, ...amount };
    }),
  );
  return { amounts, largest: told };
}

/** The ids of a run, as it has noted them itself; empty where it has not. */
export interface NotedRun {
  readonly workflowId?: string;
  readonly namespace?: string;
  readonly namespaceId?: string;
}

export async function runOf(store: Store, scope: string): Promise<NotedRun> {
  const found = jsonIn(
    (await resultsIn(store, scope)
      .entry('run')
      .catch(() => undefined)) ?? '',
  );
  if (!isRecord(found)) return {};
  const { workflowId, namespace, namespaceId } = found;
  return typeof workflowId === 'string' && typeof namespace === 'string' && typeof namespaceId === 'string'
    ? { workflowId, namespace, namespaceId }
    : {};
}
