/** Reads everything in a store once and compares it with its digest, for `doctor --store` and `store copy`. */

import { given } from '../../protocol/index.ts';
import { damageOf, StoreError, type Store } from '../../store/index.ts';
import type { Waiting } from '../operation.ts';
import { added, eachKey, NOTHING, runOfKey, type Share } from './keys.ts';

const LISTING_LIMITS = { shares: 20, problems: 100 };

/** The largest runs and conversations. The store does not have the names of conversations. */
export async function largestOf(store: Store, shares: readonly Share[]) {
  const largest = shares.toSorted((a, b) => b.bytes - a.bytes).slice(0, LISTING_LIMITS.shares);
  const described = largest.map(async ({ scope, count, bytes }) => {
    const { workflowId } = await runOfKey(store, scope);
    return given({ workflowId, scope, count, bytes });
  });
  return Promise.all(described);
}

/** Reads every item and reports damaged ones. @throws StoreError `unreadable` if the store is unavailable */
export async function checkStore(store: Store, waiting: Waiting = {}) {
  const broken = await problemOf(['unwritable'], async () => store.probe?.());
  return readAll(store, 'read', waiting, async () => undefined, broken);
}

/**
 * Copies all items of a store. An interrupted copy can be repeated: items in the target are not overwritten, and are
 * reported if they have other content.
 * @throws StoreError if a store is unavailable
 */
export async function copyItems(from: Store, to: Store, waiting: Waiting = {}) {
  // Compares only names of folders, since two databases or buckets with equal names may be different ones.
  // Copying a store to itself is harmless.
  const isSame = from === to || (from.place === to.place && !from.place.includes('://'));
  if (isSame) throw new TypeError(`${from.place} is both; name another store to copy to`);
  await to.probe?.();
  return readAll(from, 'copied', waiting, async (key, bytes) => {
    if (await to.put(key, bytes)) return undefined;
    const there = await to.get(key);
    if (there !== undefined && Buffer.compare(there, bytes) === 0) return undefined;
    return `${key} is another thing in ${to.place} than in ${from.place}.`;
  });
}

/**
 * Reads every item.
 * @param work is called for each undamaged item; returns a problem
 * @param first a known problem
 * @returns the amounts of undamaged items, the first problems, and their number
 */
async function readAll(
  store: Store,
  verb: string,
  waiting: Waiting,
  work: (key: string, bytes: Uint8Array) => Promise<string | undefined>,
  first?: string,
) {
  const problems = first === undefined ? [] : [first];
  let [amounts, problemCount] = [NOTHING, problems.length];
  const read = async ({ key, bytes }: { readonly key: string; readonly bytes: number }) => {
    const problem = await problemOf(['corrupt'], async () => {
      const there = await store.get(key);
      return there && (damageOf(key, there, store.place) ?? work(key, there));
    });
    if (problem === undefined) {
      amounts = added(amounts, key, { count: 1, bytes });
      return;
    }
    problemCount += 1;
    if (problems.length < LISTING_LIMITS.problems) problems.push(problem);
  };
  await eachKey(store, verb, read, waiting);
  return { amounts, problems, problemCount };
}

/** The message of a store error with one of these codes. Other errors are not about the content, and are thrown. */
async function problemOf(
  codes: readonly StoreError['code'][],
  work: () => Promise<string | undefined | void>,
): Promise<string | undefined> {
  try {
    return (await work()) ?? undefined;
  } catch (error) {
    if (error instanceof StoreError && codes.includes(error.code)) return error.message;
    throw error;
  }
}
