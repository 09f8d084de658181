/**
 * Replies are bought once. Every reply is in the store under its name before anybody sees it, so that a retry, a crash and a
 * new history find it there. With a budget the tries of a call are there too, each before it is made, so that one that was
 * lost with its process is counted, and each of them once, whoever looks.
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { jsonIn } from '../plan/text/index.ts';
import { canonicalJson, type JsonValue } from '../plan/index.ts';
import { hashOf, type ResultStore } from '../store/index.ts';
import { paidBy, readReply, REPLY, USED } from './judge.ts';
import { isPaidReply, MODEL_ERROR_KINDS, ModelError } from './model-error.ts';
import { reckonUsage } from './prices.ts';
import { checkRequest } from './request.ts';
import type { CallOptions, ModelClient, ModelReply, ModelRequest, ModelUsage } from './model-client.ts';

/** Hears what each try of a call has cost, by a name of its own; a name that comes again is the same try. */
export type OnCost = (call: string, usage: ModelUsage) => void;

export interface JournalPlace {
  /** `<workflowId>/<step>/<stage>/<n>`: the n-th call that this stage of this step makes. */
  readonly key: string;
  readonly store: ResultStore;
  /** Hears what every try of the call has cost, those of other processes too. Default: tries are not counted. */
  readonly onCost?: OnCost;
  /** Is waited for before anything is bought. @throws where it may not be */
  readonly permit?: (signal: AbortSignal | undefined) => Promise<void>;
}

export interface JournaledReply extends ModelReply {
  /** It was bought before, and is read from the journal. */
  readonly reused: boolean;
}

/** `request`: the reference of the request, which is stored too. `try`: the one that brought it, where tries are counted. */
type Entry = { readonly version: 1; readonly request: string; readonly try?: number } & (
  | { readonly reply: ModelReply }
  | { readonly failure: Pick<ModelError, 'kind' | 'message' | 'severity' | 'text'> & { readonly usage: ModelUsage } }
);
const FAILURE = z.object({ kind: z.enum(MODEL_ERROR_KINDS), usage: USED });
const FREE: ModelUsage = { calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reckoned: true };

/**
 * The reply from the journal, else from the model, which is then journaled before it is returned.
 *
 * The name of an entry is the key and the digest of the request: another request under the same key (a prompt that a new
 * version words otherwise, a model that was changed) is another purchase with an entry of its own. Refusing it would
 * stop a caller that retries it for good, and reusing the reply would answer a question that was not asked.
 *
 * A reply that was paid for and is of no use (cut off, refused, filtered, malformed, format not kept) is journaled and thrown
 * again alike. Other failures are not: a retry may pass, though a call that was lost or cut was paid for as well.
 * If two processes ask the same at once both pay, and both return the reply that the first of them has journaled.
 *
 * @throws ModelError of the call. `not-journaled` where the reply came and the store does not take it: this process keeps it,
 * and the next call with the same key and request writes it without buying it again.
 * @throws StoreError where the store cannot be read or written before anything was paid for.
 * @example await journaled(model, { key: 'plan-1/step_1/decide/1', store }, { messages });
 */
export async function journaled(
  client: ModelClient,
  { key, store, onCost, permit }: JournalPlace,
  request: ModelRequest,
  options: CallOptions = {},
): Promise<JournaledReply> {
  checkRequest(request);
  if (key.trim() === '') throw new TypeError('journal key: expected <workflowId>/<step>/<stage>/<n>, got none');
  // All that decides what the reply answers (RFC 8785). A member that is undefined is none.
  const asked = JSON.parse(JSON.stringify({ version: 1, model: client.name, request })) as JsonValue;
  const bytes = new TextEncoder().encode(canonicalJson(asked));
  const digest = createHash('sha256').update(bytes).digest('base64url');
  const name = `model/${key}/${digest}`;
  const known = await store.entry(entryOf(name));
  const tries = onCost && triesOf(store, name, onCost);
  if (known !== undefined) {
    const entry = readEntry(known, name);
    await tries?.settle(entry);
    return open(entry, true, options);
  }
  // The request stays on record, and a store that takes no writes is found out before we pay.
  await store.put(bytes);
  const waiting = UNWRITTEN.get(`${store.place} ${name}`);
  // Tries that were cut count in what may still be bought.
  const before = waiting === undefined ? await tries?.tell() : 0;
  if (waiting === undefined) await permit?.(options.signal);
  const purchase = () => buy(client, request, options, { request: digest });
  const entry = waiting ?? (await (tries === undefined ? purchase() : tries.count(purchase, before ?? 0, request)));
  const first = await keep(entry, name, store);
  if (waiting !== undefined || first !== undefined) await tries?.settle(first ?? entry);
  // A reply that was bought just now was told while it came.
  return open(first ?? entry, waiting !== undefined || first !== undefined, waiting === undefined ? {} : options);
}

/** @param head the part of everything that is stored which says whose it is */
async function buy(
  client: ModelClient,
  asked: ModelRequest,
  options: CallOptions,
  head: { request: string },
): Promise<Entry> {
  try {
    const reply = readReply(await client.complete(asked, options), client.name);
    return { version: 1, ...head, reply };
  } catch (error) {
    if (!isPaidReply(error)) throw error;
    const { kind, message, severity, usage, text = '' } = error;
    return { version: 1, ...head, failure: { kind, message, severity, usage, text } };
  }
}

/** Names are data, of any length. */
const entryOf = (name: string) => `calls/${hashOf(name)}`;
const tryOf = (name: string) => `tries/${hashOf(name)}`;

/** The tries of one call, each with a name of its own. */
function triesOf(store: ResultStore, name: string, onCost: OnCost) {
  const placeOf = (nth: number) => `${name}/try/${nth}`;
  const endOf = async (place: string): Promise<ModelUsage | undefined> => {
    const found = await store.entry(tryOf(`${place}/end`));
    return found && paidBy(jsonIn(found));
  };
  /**
   * Tells of the tries so far. @returns how many there were
   * @param lost the cost of the try `bought`, and of one of which nobody has said how it ended; such a one is not told of without
   */
  const tell = async (lost?: ModelUsage, bought?: number): Promise<number> => {
    for (let nth = 1; ; nth += 1) {
      const place = placeOf(nth);
      if ((await store.entry(tryOf(place))) === undefined) return nth - 1;
      const usage = nth === bought ? lost : ((await endOf(place)) ?? (lost && { ...lost, reckoned: true as const }));
      if (usage !== undefined) onCost(place, usage);
    }
  };
  return {
    tell: () => tell(),
    /** An entry of an earlier version says nothing of its try. */
    async settle(entry: Entry): Promise<void> {
      if (entry.try === undefined) onCost(name, usageOf(entry));
      await tell(usageOf(entry), entry.try);
    },
    /** Notes a try before it is made, under a number of its own where several processes try at once, and how it ended. */
    async count(purchase: () => Promise<Entry>, before: number, request: ModelRequest): Promise<Entry> {
      if (before > 0) await tell(reckonUsage(request, ''));
      const mark = Buffer.from(bytesOf({ try: crypto.randomUUID() }));
      let nth = before + 1;
      while (!mark.equals(await store.enter(tryOf(placeOf(nth)), mark))) nth += 1;
      try {
        const entry = { ...(await purchase()), try: nth };
        onCost(placeOf(nth), usageOf(entry));
        if (before > 0) await tell(usageOf(entry), nth);
        return entry;
      } catch (error) {
        const usage = paidBy(error) ?? FREE;
        onCost(placeOf(nth), usage);
        await store.enter(tryOf(`${placeOf(nth)}/end`), bytesOf({ usage }));
        throw error;
      }
    },
  };
}

function usageOf(entry: Entry): ModelUsage {
  return 'reply' in entry ? entry.reply.usage : entry.failure.usage;
}

/** Not canonical: an entry that is read again has its members in the order in which the model wrote them. */
function bytesOf(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** @throws TypeError when the bytes are none, or those of another version. */
function readEntry(bytes: Uint8Array, name: string): Entry {
  const entry = (jsonIn(bytes) ?? {}) as { version?: unknown; reply?: unknown; failure?: unknown };
  const isWhole = REPLY.safeParse(entry.reply).success || FAILURE.safeParse(entry.failure).success;
  if (entry.version === 1 && isWhole) return entry as Entry;
  const what = `What the journal has under ${name} is no reply that this version can read`;
  throw new TypeError(`${what}. Run it with the version that wrote it, or ask under another key.`);
}

/** Replies that were paid for and that a store did not take, by its place and their names. */
const UNWRITTEN = new Map<string, Entry>();
/** Replies that one process keeps; then the oldest is given up. */
const MAX_UNWRITTEN = 100;

/** @returns the entry that was there first, if another process was quicker */
async function keep(entry: Entry, name: string, store: ResultStore) {
  const id = `${store.place} ${name}`;
  try {
    const own = Buffer.from(bytesOf(entry));
    const first = await store.enter(entryOf(name), own);
    UNWRITTEN.delete(id);
    return own.equals(first) ? undefined : readEntry(first, name);
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

/** The entry is told as if it came now, whole. */
function open(entry: Entry, reused: boolean, { onText, onBeat }: CallOptions): JournaledReply {
  if ('failure' in entry) throw new ModelError(entry.failure.kind, entry.failure.message, entry.failure);
  const { reply } = entry;
  onBeat?.();
  if (reply.finish !== 'refusal' && reply.text !== '') onText?.(reply.text);
  return { ...reply, reused };
}
