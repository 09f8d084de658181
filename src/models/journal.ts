/**
 * Replies are bought once. Every reply is in the store before anybody sees it, so that a retry, a crash and a new
 * history find it. With a budget each try of a call is recorded before it is made, so that a try that was lost with its
 * process counts, and counts once.
 */

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { jsonIn } from '../plan/text/index.ts';
import { canonicalJson, type JsonValue } from '../plan/index.ts';
import { hashOf, type ResultStore } from '../store/index.ts';
import { paidBy, readReply, MODEL_REPLY, USED } from './judge.ts';
import { isPaidReply, MODEL_ERROR_KINDS, ModelError } from './model-error.ts';
import { estimateUsage } from './prices.ts';
import { checkRequest } from './request.ts';
import type { CallOptions, ModelClient, ModelReply, ModelRequest, ModelUsage } from './model-client.ts';

/** Receives the cost of each try of a call, by name; a repeated name is the same try. */
export type OnCost = (call: string, usage: ModelUsage) => void;

export interface JournalPlace {
  /** `<workflowId>/<step>/<stage>/<n>`: the n-th call of this stage of this step. */
  readonly key: string;
  readonly store: ResultStore;
  /** Receives the cost of every try of the call, also of other processes. Default: tries are not counted. */
  readonly onCost?: OnCost;
  /** Called before anything is bought. @throws if it may not be */
  readonly permit?: (signal: AbortSignal | undefined) => Promise<void>;
}

export interface JournaledReply extends ModelReply {
  /** It comes from the journal. */
  readonly reused: boolean;
}

/** `request`: the reference of the stored request. `try`: the try that brought the reply, if tries are counted. */
type Entry = { readonly version: 1; readonly request: string; readonly try?: number } & (
  | { readonly reply: ModelReply }
  | { readonly failure: Pick<ModelError, 'kind' | 'message' | 'severity' | 'text'> & { readonly usage: ModelUsage } }
);
const FAILURE = z.object({ kind: z.enum(MODEL_ERROR_KINDS), usage: USED });
const FREE: ModelUsage = { calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reckoned: true };

/**
 * The reply from the journal; else the model's, which is journaled before it is returned. The name of an entry is the
 * key and the digest of the request, so another request under the same key (a changed prompt or model) is bought again.
 * Refusing it would block the caller for good, and reusing the reply would answer another question. A useless reply
 * (cut off, refused, filtered, malformed, format not kept) is journaled and thrown again; other failures are not, since
 * a retry may succeed. If two processes ask at the same time, both pay, and both return the first journaled reply.
 * @throws ModelError of the call; `not-journaled` if the store does not accept the reply, which this process then keeps for the next attempt
 * @throws StoreError if the store fails before anything was paid for
 */
export async function journaled(
  client: ModelClient,
  { key, store, onCost, permit }: JournalPlace,
  request: ModelRequest,
  options: CallOptions = {},
): Promise<JournaledReply> {
  checkRequest(request);
  if (key.trim() === '') throw new TypeError('journal key: expected <workflowId>/<step>/<stage>/<n>, got none');
  // Everything that decides the reply (RFC 8785). Undefined members do not count.
  const identity = JSON.parse(JSON.stringify({ version: 1, model: client.name, request })) as JsonValue;
  const bytes = new TextEncoder().encode(canonicalJson(identity));
  const digest = createHash('sha256').update(bytes).digest('base64url');
  const name = `model/${key}/${digest}`;
  const known = await store.entry(entryOf(name));
  const tries = onCost && triesOf(store, name, onCost);
  if (known !== undefined) {
    const entry = readEntry(known, name);
    await tries?.settle(entry);
    return open(entry, true, options);
  }
  // The request stays on record, and a store without writes is detected before we pay.
  await store.put(bytes);
  const waiting = UNWRITTEN.get(`${store.place} ${name}`);
  // Lost tries count against the budget.
  const before = waiting === undefined ? await tries?.tell() : 0;
  if (waiting === undefined) await permit?.(options.signal);
  const purchase = () => buy(client, request, options, { request: digest });
  const entry = waiting ?? (await (tries === undefined ? purchase() : tries.count(purchase, before ?? 0, request)));
  const first = await keep(entry, name, store);
  if (waiting !== undefined || first !== undefined) await tries?.settle(first ?? entry);
  // A reply that was bought just now has already been streamed.
  return open(first ?? entry, waiting !== undefined || first !== undefined, waiting === undefined ? {} : options);
}

/** @param head the part of every entry that names its owner */
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

/** Names are data, of any length. */
const entryOf = (name: string) => `calls/${hashOf(name)}`;
const tryOf = (name: string) => `tries/${hashOf(name)}`;

function triesOf(store: ResultStore, name: string, onCost: OnCost) {
  const placeOf = (nth: number) => `${name}/try/${nth}`;
  const endOf = async (place: string): Promise<ModelUsage | undefined> => {
    const found = await store.entry(tryOf(`${place}/end`));
    return found && paidBy(jsonIn(found));
  };
  /**
   * Reports the tries so far. @returns their number
   * @param lost the cost of the try `bought`; a try whose end is unknown is reported only with it
   */
  const report = async (lost?: ModelUsage, bought?: number): Promise<number> => {
    for (let nth = 1; ; nth += 1) {
      const place = placeOf(nth);
      if ((await store.entry(tryOf(place))) === undefined) return nth - 1;
      const usage = nth === bought ? lost : ((await endOf(place)) ?? (lost && { ...lost, reckoned: true as const }));
      if (usage !== undefined) onCost(place, usage);
    }
  };
  return {
    tell: () => report(),
    /** An entry of an earlier version does not name its try. */
    async settle(entry: Entry): Promise<void> {
      if (entry.try === undefined) onCost(name, usageOf(entry));
      await report(usageOf(entry), entry.try);
    },
    /** Records a try before it is made, and how it ended. Each concurrent process has a number of its own. */
    async count(purchase: () => Promise<Entry>, before: number, request: ModelRequest): Promise<Entry> {
      if (before > 0) await report(estimateUsage(request, ''));
      const mark = Buffer.from(bytesOf({ try: crypto.randomUUID() }));
      let nth = before + 1;
      while (!mark.equals(await store.enter(tryOf(placeOf(nth)), mark))) nth += 1;
      try {
        const entry = { ...(await purchase()), try: nth };
        onCost(placeOf(nth), usageOf(entry));
        if (before > 0) await report(usageOf(entry), nth);
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

/** Not canonical: an entry that is read again has its members in the model's order. */
function bytesOf(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

/** @throws TypeError for no entry, or one of another version */
function readEntry(bytes: Uint8Array, name: string): Entry {
  const entry = (jsonIn(bytes) ?? {}) as { version?: unknown; reply?: unknown; failure?: unknown };
  const isWhole = MODEL_REPLY.safeParse(entry.reply).success || FAILURE.safeParse(entry.failure).success;
  if (entry.version === 1 && isWhole) return entry as Entry;
  const what = `What the journal has under ${name} is no reply that this version can read`;
  throw new TypeError(`${what}. Run it with the version that wrote it, or ask under another key.`);
}

/** Replies that were paid for and that a store did not accept, by its place and their names. */
const UNWRITTEN = new Map<string, Entry>();
const MAX_UNWRITTEN = 100;

/** @returns the earlier entry, if another process was faster */
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

/** A reply from the journal is streamed as one piece. */
function open(entry: Entry, reused: boolean, { onText, onBeat }: CallOptions): JournaledReply {
  if ('failure' in entry) throw new ModelError(entry.failure.kind, entry.failure.message, entry.failure);
  const { reply } = entry;
  onBeat?.();
  if (reply.finish !== 'refusal' && reply.text !== '') onText?.(reply.text);
  return { ...reply, reused };
}
