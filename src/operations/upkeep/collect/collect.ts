/** Takes away what nobody refers to: docs/decisions/store-gc.md says why nothing else can go with it. */

import { placeName, type Owner } from '../../../protocol/index.ts';
import { refOfBytes, type Item, type OpenedStore, type Removed } from '../../../store/index.ts';
import { planName } from '../../../activities/index.ts';
import { NOTHING, plus, type Amounts } from '../measure-store.ts';
import { createProgress, type Hear } from '../progress.ts';
import type { Place } from './histories.ts';
import { alone } from './lock.ts';
import { createMarks, type Marks } from './marks.ts';
import { createRuns, heirOf, idOf, type Runs } from './runs.ts';
import { takeStock, type Entry, type Stock } from './stock.ts';
import { askedOf, Unsure, type Asked } from './users.ts';

export interface CollectOptions {
  /** False: tells what would be removed. */
  readonly remove: boolean;
  /** Ids of namespaces that are gone for good. */
  readonly gone?: readonly string[];
  /** Runs that the servers should still know and do not were deleted there by somebody. */
  readonly deleted?: boolean;
  readonly hear?: Hear | undefined;
  readonly signal?: AbortSignal | undefined;
  /** What was stored for less than so long is kept, in milliseconds. Default: 24 hours. */
  readonly ageMs?: number;
}

export interface Collected {
  /** Runs that are known, and those that a known one went on from or has started. */
  readonly runs: number;
  /** Runs of which the store has something, and no server knows them. */
  readonly goneRuns: number;
  /** What the store had, and what of it nobody needs. */
  readonly amounts: Amounts;
  readonly removable: Amounts;
  /** Absent where nothing was to be removed. */
  readonly removed?: Removed;
}

/** 24 hours, and one more: a store tells to the hour when something was last stored. */
const AGE_MS = 90_000_000;
/** Runs that are named in a message. */
const NAMED = 5;

/**
 * Everything is kept that a run on these servers refers to, what it went on from and has started with it, every conversation, and what was
 * stored in the last day. An error, of a server too, ends it, and nothing is removed.
 * @throws Unsure where it cannot be told what is needed; StoreHeld; StoreError; UnreadableHistory
 */
export async function collect(
  store: OpenedStore,
  places: readonly Place[],
  options: CollectOptions,
): Promise<Collected> {
  const { remove, signal, hear, ageMs = AGE_MS } = options;
  const before = Date.now() - ageMs;
  const work = async (): Promise<Collected> => {
    const stock = await takeStock(store, createProgress(hear, 'listed'), signal);
    const asked = await askedOf(stock, places, options.gone ?? []);
    const marks = createMarks(store, stock.sizes);
    const runs = createRuns(store, asked, marks, createProgress(hear, 'read histories of runs:'));
    const entries = [...stock.names, ...stock.kept];
    const owners = entries.flatMap(({ owner }) => owner ?? []);
    for (let pass = 1; pass <= 2; pass += 1) {
      await runs.look(signal);
      await runs.confirm(owners, signal);
      if (pass === 1) {
        for (const { key, usedAt } of stock.objects) if (usedAt >= before) marks.see([{ word: key, isSet: false }]);
      }
      for (const entry of entries) if (isNeeded(entry, runs, before)) see(entry, marks);
      await marks.follow(createProgress(hear, 'followed references of'), signal);
    }
    if (options.deleted !== true) checkRetention(entries, runs, asked);
    const doomed = { entries: entries.filter((entry) => !isNeeded(entry, runs, before)), stock, marks, before };
    const told = summary(doomed, runs);
    if (!remove) return told;
    return { ...told, removed: await sweep(store, doomed, runs, signal) };
  };
  return remove ? alone(store, work) : work();
}

function isNeeded({ owner, item }: Entry, runs: Runs, before: number): boolean {
  return owner === undefined || runs.isKnown(owner) || item.usedAt >= before;
}

function see({ target, words }: Entry, marks: Marks): void {
  if (target !== undefined) marks.reach(target);
  marks.see(words);
}

/** A server that was restored, or is another one than it seems, knows too little: its runs are not to be lost with it. */
function checkRetention(entries: readonly Entry[], runs: Runs, asked: Asked): void {
  const early = new Map<string, Owner>();
  for (const { owner, at } of entries) {
    if (owner === undefined || at === undefined || runs.isKnown(owner)) continue;
    const retentions = (asked.get(owner.namespace) ?? []).map(({ retentionMs }) => retentionMs);
    if (retentions.length > 0 && at > Date.now() - Math.min(...retentions)) early.set(idOf(owner), owner);
  }
  if (early.size === 0) return;
  const names = [...early.values()].slice(0, NAMED).map(({ workflowId }) => workflowId);
  const more = early.size > NAMED ? ` and ${early.size - NAMED} more` : '';
  throw new Unsure(
    `nodes of ${names.join(', ')}${more} have finished within the retention of the namespace, and the server does not know the run${early.size === 1 ? '' : 's'}: ` +
      'it was restored from an earlier backup, or somebody deleted them. Give --deleted if they were deleted',
  );
}

interface Doomed {
  readonly entries: readonly Entry[];
  readonly stock: Stock;
  readonly marks: Marks;
  readonly before: number;
}

function objectsOf({ stock, marks, before }: Doomed): readonly Item[] {
  return stock.objects.filter(({ key, usedAt }) => usedAt < before && !marks.has(key));
}

function summary(doomed: Doomed, runs: Runs): Collected {
  const { entries, stock } = doomed;
  const all = [...stock.objects, ...stock.names.map(({ item }) => item), ...stock.kept.map(({ item }) => item)];
  const owners = new Set(entries.flatMap(({ owner }) => (owner === undefined ? [] : [idOf(owner)])));
  return {
    runs: runs.count,
    goneRuns: owners.size,
    amounts: all.reduce(plus, NOTHING),
    removable: [...entries.map(({ item }) => item), ...objectsOf(doomed)].reduce(plus, NOTHING),
  };
}

/**
 * The plan of a run goes first: without it no run can go on from this one. One that has begun to do so has said it before it looked for
 * what was finished, and looks for the plan again when it has found it.
 */
async function sweep(store: OpenedStore, doomed: Doomed, runs: Runs, signal?: AbortSignal): Promise<Removed> {
  const { stock, marks, before } = doomed;
  const owners = new Map(
    doomed.entries.flatMap(({ owner }) => (owner === undefined ? [] : [[placeName(owner), owner] as const])),
  );
  const plans = new Set([...owners.values()].map((owner) => refOfBytes(Buffer.from(planName(owner)))));
  const ofPlans = stock.names.filter(({ item }) => plans.has(item.key) && item.usedAt < before);
  const remove = (items: readonly Item[]) => {
    signal?.throwIfAborted();
    return store.inventory.remove(items, before);
  };
  const first = await remove(ofPlans.map(({ item }) => item));
  const spared = new Set<string>();
  for (const [id, owner] of owners) {
    const heir = await heirOf(store, owner);
    if (heir !== undefined && !owners.has(placeName(heir)) && !runs.isKnown(heir)) spared.add(id);
  }
  const gone = new Set(ofPlans);
  const entries = doomed.entries.filter((entry) => !gone.has(entry));
  for (const entry of entries) if (entry.owner !== undefined && spared.has(placeName(entry.owner))) see(entry, marks);
  if (spared.size > 0) await marks.follow(() => undefined, signal);
  const rest = entries.filter(({ owner }) => owner === undefined || !spared.has(placeName(owner)));
  // Together: what stands in one file goes only with most of it.
  const { count, bytes } = await remove([...rest.map(({ item }) => item), ...objectsOf(doomed)]);
  return { count: first.count + count, bytes: first.bytes + bytes };
}
