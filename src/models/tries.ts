/**
 * The tries of a call, for budgets: each is in the store before it is made, so that one that was lost with its process is counted, and
 * each of them once, whoever looks.
 */

import { jsonIn } from '../plan/text/index.ts';
import { problemOf, USAGE } from '../protocol/index.ts';
import type { ResultStore } from '../store/index.ts';
import type { ModelUsage } from './model-client.ts';

/** Hears what each try of a call has cost, by a name of its own; a name that comes again is the same try. */
export type OnCost = (call: string, usage: ModelUsage) => void;

export const FREE: ModelUsage = { calls: 0, inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reckoned: true };

/**
 * Tells of the tries so far.
 * @param bought the try whose reply is in the journal, and its cost, which is the best guess for one that was lost too
 * @param lost the cost of a try of which nobody has said how it ended; such a try is not told of without
 * @returns how many there were
 */
export async function tellTries(
  store: ResultStore,
  name: string,
  { bought, lost }: { readonly bought?: number | undefined; readonly lost?: ModelUsage },
  onCost: OnCost,
): Promise<number> {
  for (let nth = 1; ; nth += 1) {
    const place = placeOf(name, nth);
    if ((await store.bound(place)) === undefined) return nth - 1;
    const usage = nth === bought ? lost : ((await endOf(store, place)) ?? (lost && { ...lost, reckoned: true }));
    if (usage !== undefined) onCost(place, usage);
  }
}

/** Notes a try before it is made. Where several processes try at once each gets a number of its own. */
export async function beginTry(store: ResultStore, name: string, after: number, owner: object): Promise<number> {
  const mark = await store.put(bytesOf({ try: crypto.randomUUID(), ...owner }));
  for (let nth = after + 1; ; nth += 1) if ((await store.bind(placeOf(name, nth), mark)) === mark) return nth;
}

/** Notes how a try ended that has no entry of its own. */
export async function endTry(
  store: ResultStore,
  name: string,
  nth: number,
  usage: ModelUsage,
  owner: object,
): Promise<void> {
  await store.bind(`${placeOf(name, nth)}/end`, await store.put(bytesOf({ usage, ...owner })));
}

export function placeOf(name: string, nth: number): string {
  return `${name}/try/${nth}`;
}

async function endOf(store: ResultStore, place: string): Promise<ModelUsage | undefined> {
  const ref = await store.bound(`${place}/end`);
  const { usage } = (ref === undefined ? {} : (jsonIn(await store.get(ref)) ?? {})) as { usage?: ModelUsage };
  return usage !== undefined && problemOf(USAGE, usage) === undefined ? usage : undefined;
}

function bytesOf(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
