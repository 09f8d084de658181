/**
 * The journal of model calls, so that no reply is paid for twice. Every reply is stored before anyone sees it. With a
 * budget, each attempt is recorded before its call, even if its process is then lost.
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { jsonIn } from '../plan/text/index.ts';
import { canonicalJson, type JsonValue } from '../plan/index.ts';
import { hashOf, type ResultStore } from '../store/index.ts';
import { paidBy, readReply, MODEL_REPLY, USED } from './judge.ts';
import { isPaidReply, MODEL_ERROR_KINDS, ModelError } from './model-error.ts';
import { estimateUsage } from './settings.ts';
import { checkRequest } from './request.ts';
import type { CallOptions, ModelClient, ModelReply, ModelRequest, ModelUsage } from './model-client.ts';

/** Receives the name and the usage of each attempt at a call. The same name again means the same attempt. */
export type OnCost = (call: string, usage: ModelUsage) => void;

export interface JournalPlace {
  /** The name of the call: `<workflowId>/<step>/<stage>/<n>` is the n-th call of this stage of this step. */
  readonly key: string;
  readonly store: ResultStore;
  /** Receives the usage of every attempt, also of other processes. By default, attempts are not counted. */
  readonly onCost?: OnCost;
  /** Called before each new call. Throws if the call is not allowed. */
  readonly permit?: (signal: AbortSignal | undefined) => Promise<void>;
}

export interface JournaledReply extends ModelReply {
  readonly reused: boolean;
}

/** An entry of the journal: the reference of the request, and the number of the attempt if attempts are counted. */
type Entry = { readonly version: 1; readonly request: string; readonly try?: number } & (
  | { readonly reply: ModelReply }
  | { readonly failure: Pick<ModelError, 'kind' | 'message' | 'severity' | 'text'> & { readonly usage: ModelUsage } }
);
const FAILURE = z.object({ kind: z.enum(MODEL_ERROR_KINDS), usage: USED });
const FREE: ModelUsage = { calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reckoned: true };

/**
 * Returns the reply from the journal, or else calls the model and stores the reply first. Entries are named by the key
 * and the digest of the request, so a changed prompt or model under the same key is a new call. A reply that is cut
 * off, refused, filtered, malformed or in the wrong format is stored too, and a repeated call fails with the same
 * error. Other errors are not stored, since a retry may succeed. If two processes make the same call at once, both pay,
 * and both return the reply that was stored first.
 * @throws ModelError if the call fails, or `not-journaled` if the store does not accept the reply, which this process
 * then has for the next attempt
 * @throws StoreError if the store fails before any call was paid for
 */
export async function journaled(
  client: ModelClient,
  { key, store, onCost, permit }: JournalPlace,
  request: ModelRequest,
  options: CallOptions = {},
): Promise<JournaledReply> {
  checkRequest(request);
  if (key.trim() === '') throw new TypeError('journal key: expected <workflowId>/<step>/<stage>/<n>, got none');
  // Everything on which the reply depends, in canonical JSON (RFC 8785), without undefined members.
  const identity = JSON.parse(JSON.stringify({ version: 1, model: client.name, request })) as JsonValue;
  const bytes = new TextEncoder().encode(canonicalJson(identity));
  const digest = createHash('sha256').update(bytes).digest('base64url');
  const name = `model/${key}/${digest}`;
  const known = await store.entry(entryName(name));
  const tries = onCost && triesOf(store, name, onCost);
  if (known !== undefined) {
    const entry = readCallEntry(known, name);
    await tries?.settle(entry);
    return open(entry, true, options);
  }
  // Stores the request before the call, so that an unwritable store fails the call before it costs money.
  await store.put(bytes);
  const waiting = UNWRITTEN.get(`${store.place} ${name}`);
  const before = waiting === undefined ? await tries?.tell() : 0;
  if (waiting === undefined) await permit?.(options.signal);
  const purchase = () => buy(client, request, options, { request: digest });
  const entry = waiting ?? (await (tries === undefined ? purchase() : tries.count(purchase, before ?? 0, request)));
  const first = await storeReply(entry, name, store);
  if (waiting !== undefined || first !== undefined) await tries?.settle(first ?? entry);
  return open(first ?? entry, waiting !== undefined || first !== undefined, waiting === undefined ? {} : options);
}

async function buy(
  client: ModelClient,
  request: ModelRequest,
  options: CallOptions,
  head: { request: string },
): Promise<Entry> {
  try {
    const reply = readReply(await client.complete(request, options), client.name);
    return { version: 1, ...head, reply };
  } catch (error) {
    if (!isPaidReply(error)) throw error;
    const { kind, message, severity, usage, text = '' } = error;
    return { version: 1, ...head, failure: { kind, message, severity, usage, text } };
  }
}

/** The name of an entry is a hash, since names of calls may have any length and any characters. */
const entryName = (name: string) => `calls/${hashOf(name)}`;
const tryName = (name: string) => `tries/${hashOf(name)}`;

function triesOf(store: ResultStore, name: string, onCost: OnCost) {
  const tryPlace = (nth: number) => `${name}/try/${nth}`;
  const endOf = async (place: string): Promise<ModelUsage | undefined> => {
    const found = await store.entry(tryName(`${place}/end`));
    return found && paidBy(jsonIn(found));
  };
  /**
   * Reports the attempts so far and returns their number.
   * @param lost the usage of the attempt `bought`, and of attempts whose end is not recorded
   */
  const report = async (lost?: ModelUsage, bought?: number): Promise<number> => {
    for (let nth = 1; ; nth += 1) {
      const place = tryPlace(nth);
      if ((await store.entry(tryName(place))) === undefined) return nth - 1;
      const usage = nth === bought ? lost : ((await endOf(place)) ?? (lost && { ...lost, reckoned: true as const }));
      if (usage !== undefined) onCost(place, usage);
    }
  };
  return {
    tell: () => report(),
    /** Reports the attempts at a call that has an entry. Entries of an earlier version do not name their attempts. */
    async settle(entry: Entry): Promise<void> {
      if (entry.try === undefined) onCost(name, usageOf(entry));
      await report(usageOf(entry), entry.try);
    },
    /** Records an attempt before the call, and its end afterwards. Concurrent attempts have different numbers. */
    async count(purchase: () => Promise<Entry>, before: number, request: ModelRequest): Promise<Entry> {
      if (before > 0) await report(estimateUsage(request, ''));
      const mark = Buffer.from(bytesOf({ try: crypto.randomUUID() }));
      let nth = before + 1;
      while (!mark.equals(await store.enter(tryName(tryPlace(nth)), mark))) nth += 1;
      try {
        const entry = { ...(await purchase()), try: nth };
        onCost(tryPlace(nth), usageOf(entry));
        if (before > 0) await report(usageOf(entry), nth);
        return entry;
      } catch (error) {
        const usage = paidBy(error) ?? FREE;
        onCost(tryPlace(nth), usage);
        await store.enter(tryName(`${tryPlace(nth)}/end`), bytesOf({ usage }));
        throw error;
      }
    },
  };
}

function usageOf(entry: Entry): ModelUsage {
  return 'reply' in entry ? entry.reply.usage : entry.failure.usage;
}

/** Keeps the order in which the model wrote the members of a reply, which canonical JSON would change. */
function bytesOf(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

function readCallEntry(bytes: Uint8Array, name: string): Entry {
  const entry = (jsonIn(bytes) ?? {}) as { version?: unknown; reply?: unknown; failure?: unknown };
  const isWhole = MODEL_REPLY.safeParse(entry.reply).success || FAILURE.safeParse(entry.failure).success;
  if (entry.version === 1 && isWhole) return entry as Entry;
  const what = `What the journal has under ${name} is no reply that this version can read`;
  throw new TypeError(`${what}. Run it with the version that wrote it, or ask under another key.`);
}

/** Replies that were paid for but not stored, by the place of the store and the name of the call. */
const UNWRITTEN = new Map<string, Entry>();
const MAX_UNWRITTEN = 100;

/** Stores a reply. @returns the earlier entry if another process was first, otherwise undefined */
async function storeReply(entry: Entry, name: string, store: ResultStore) {
  const id = `${store.place} ${name}`;
  try {
    const own = Buffer.from(bytesOf(entry));
    const first = await store.enter(entryName(name), own);
    UNWRITTEN.delete(id);
    return own.equals(first) ? undefined : readCallEntry(first, name);
  } catch (cause) {
    UNWRITTEN.set(id, entry);
    const [oldest] = UNWRITTEN.keys();
    if (UNWRITTEN.size > MAX_UNWRITTEN && oldest !== undefined) UNWRITTEN.delete(oldest);
    const usage = usageOf(entry);
    const paid = `was paid for (${usage.inputTokens} + ${usage.outputTokens} tokens), and the store at ${store.place} did not take it`;
    const message = `The reply of ${name} ${paid}. It is kept in this process until the store does.`;
    throw new ModelError('not-journaled', message, { cause, usage });
  }
}

function open(entry: Entry, reused: boolean, { onText, onBeat }: CallOptions): JournaledReply {
  if ('failure' in entry) throw new ModelError(entry.failure.kind, entry.failure.message, entry.failure);
  const { reply } = entry;
  onBeat?.();
  if (reply.finish !== 'refusal' && reply.text !== '') onText?.(reply.text);
  return { ...reply, reused };
}
