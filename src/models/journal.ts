/**
 * Replies are bought once. Every reply is in the store under its name before anybody sees it, so that a retry, a crash and a
 * new history find it there.
 */

import { createHash } from 'node:crypto';
import { isPaidReply, ModelError } from './model-error.ts';
import { entryBytes, readEntry, requestBytes, type Entry } from './journal-entry.ts';
import { checkRequest } from './check-request.ts';
import { paidBy, readReply } from './pieces.ts';
import { reckonUsage } from './prices.ts';
import { beginTry, endTry, FREE, placeOf, tellTries, type OnCost } from './tries.ts';
import { ownedBy, type Owner } from '../protocol/index.ts';
import type { ResultStore } from '../store/index.ts';
import type { CallOptions, ModelClient, ModelReply, ModelRequest, ModelUsage } from './model-client.ts';

export interface JournalPlace {
  /** `<workflowId>/<step>/<stage>/<n>`: the n-th call that this stage of this step makes. */
  readonly key: string;
  readonly store: ResultStore;
  /** The run for which it is asked. Default: none, and the reply is kept for good. */
  readonly of?: Owner;
  /** Hears what every try of the call has cost, those of other processes too. Default: tries are not counted. */
  readonly onCost?: OnCost;
  /** Is waited for before anything is bought. @throws where it may not be */
  readonly permit?: (signal: AbortSignal | undefined) => Promise<void>;
}

export interface JournaledReply extends ModelReply {
  /** It was bought before, and is read from the journal. */
  readonly reused: boolean;
}

/**
 * The reply from the journal, else from the model, which is then journaled before it is returned.
 *
 * The name of an entry is the key and the digest of the request: another request under the same key (a prompt that a new
 * version words otherwise, a model that was changed) is another purchase with an entry of its own. Refusing it would
 * stop a caller that retries it for good, and reusing the reply would answer a question that was not asked.
 *
 * A reply that was paid for and is of no use (cut off, refused, filtered, format not kept) is journaled and thrown again
 * alike. Other failures are not: a retry may pass, though a call that was lost or cut was paid for as well.
 * If two processes ask the same at once both pay, and both return the reply that the first of them has journaled.
 *
 * @throws ModelError of the call. `not-journaled` where the reply came and the store does not take it: this process keeps it,
 * and the next call with the same key and request writes it without buying it again.
 * @throws StoreError where the store cannot be read or written before anything was paid for.
 * @example await journaled(model, { key: 'plan-1/step_1/decide/1', store }, { messages });
 */
export async function journaled(
  client: ModelClient,
  { key, store, of, onCost, permit }: JournalPlace,
  request: ModelRequest,
  options: CallOptions = {},
): Promise<JournaledReply> {
  checkRequest(request);
  if (key.trim() === '') throw new TypeError('journal key: expected <workflowId>/<step>/<stage>/<n>, got none');
  const asked = requestBytes(client.name, request);
  const digest = createHash('sha256').update(asked).digest('base64url');
  const name = `model/${key}/${digest}`;
  const known = await store.bound(name);
  if (known !== undefined) {
    const entry = readEntry(await store.get(known), name);
    await tellCost(entry, name, store, onCost);
    return open(entry, true, options);
  }
  // The request stays on record, and a store that takes no writes is found out before we pay.
  await store.put(asked);
  const kept = unwritten(store);
  const waiting = kept.get(name);
  // Tries that were cut count in what may still be bought.
  const before = waiting === undefined && onCost !== undefined ? await tellTries(store, name, {}, onCost) : 0;
  if (waiting === undefined) await permit?.(options.signal);
  const buying = { client, request, options, digest, owner: of === undefined ? {} : ownedBy(of) };
  const entry =
    waiting ?? (await (onCost === undefined ? buy(buying) : buyCounted(buying, before, { name, store, onCost })));
  const first = await keep(entry, name, store, kept);
  if (waiting !== undefined || first !== undefined) await tellCost(first ?? entry, name, store, onCost);
  // A reply that was bought just now was told while it came.
  return open(first ?? entry, waiting !== undefined || first !== undefined, waiting === undefined ? {} : options);
}

interface Buying {
  readonly client: ModelClient;
  readonly request: ModelRequest;
  readonly options: CallOptions;
  readonly digest: string;
  /** The part of everything that is stored which says whose it is. */
  readonly owner: object;
}

interface Counting {
  readonly name: string;
  readonly store: ResultStore;
  readonly onCost: OnCost;
}

/** @param before the tries that were made already */
async function buyCounted(buying: Buying, before: number, { name, store, onCost }: Counting): Promise<Entry> {
  if (before > 0) await tellTries(store, name, { lost: reckonUsage(buying.request, '') }, onCost);
  const nth = await beginTry(store, name, before, buying.owner);
  try {
    const entry = { ...(await buy(buying)), try: nth };
    const usage = usageOf(entry);
    onCost(placeOf(name, nth), usage);
    if (before > 0) await tellTries(store, name, { bought: nth, lost: usage }, onCost);
    return entry;
  } catch (error) {
    const usage = paidBy(error) ?? FREE;
    onCost(placeOf(name, nth), usage);
    await endTry(store, name, nth, usage, buying.owner);
    throw error;
  }
}

/** An entry of an earlier version says nothing of its try. */
async function tellCost(entry: Entry, name: string, store: ResultStore, onCost: OnCost | undefined): Promise<void> {
  if (onCost === undefined) return;
  const usage = usageOf(entry);
  if (entry.try === undefined) onCost(name, usage);
  await tellTries(store, name, { bought: entry.try, lost: usage }, onCost);
}

function usageOf(entry: Entry): ModelUsage {
  return 'reply' in entry ? entry.reply.usage : entry.failure.usage;
}

async function buy({ client, request, options, digest, owner }: Buying): Promise<Entry> {
  try {
    return {
      ...owner,
      version: 1,
      request: digest,
      reply: readReply(await client.complete(request, options), client.name),
    };
  } catch (error) {
    if (!isPaidReply(error)) throw error;
    const { kind, message, severity, usage, text = '' } = error;
    return { ...owner, version: 1, request: digest, failure: { kind, message, severity, usage, text } };
  }
}

/** Replies that were paid for and that a store did not take, by their names. */
const UNWRITTEN = new WeakMap<ResultStore, Map<string, Entry>>();
/** Replies that one process keeps for a store that takes none; then the oldest is given up. */
export const MAX_UNWRITTEN = 100;

function unwritten(store: ResultStore): Map<string, Entry> {
  const kept = UNWRITTEN.get(store) ?? new Map<string, Entry>();
  UNWRITTEN.set(store, kept);
  return kept;
}

/** @returns the entry that was there first, if another process was quicker */
async function keep(
  entry: Entry,
  name: string,
  store: ResultStore,
  kept: Map<string, Entry>,
): Promise<Entry | undefined> {
  try {
    const ref = await store.put(entryBytes(entry));
    const bound = await store.bind(name, ref);
    kept.delete(name);
    return bound === ref ? undefined : readEntry(await store.get(bound), name);
  } catch (cause) {
    kept.set(name, entry);
    const [oldest] = kept.keys();
    if (kept.size > MAX_UNWRITTEN && oldest !== undefined) kept.delete(oldest);
    const usage = usageOf(entry);
    const message = `The reply of ${name} was paid for (${usage.inputTokens} + ${usage.outputTokens} tokens), and the store at ${store.place} did not take it. It is kept in this process until the store does.`;
    throw new ModelError('not-journaled', message, { cause, usage });
  }
}

/** The entry is told as if it came now, whole. */
function open(entry: Entry, reused: boolean, { onText, onBeat }: CallOptions): JournaledReply {
  if ('failure' in entry) {
    const { kind, message, ...options } = entry.failure;
    throw new ModelError(kind, message, options);
  }
  const { reply } = entry;
  onBeat?.();
  if (reply.finish !== 'refusal' && reply.text !== '') onText?.(reply.text);
  return { ...reply, reused };
}
