/** `doctor --store` and `store copy`: everything that a store has is read once and compared with its digest or check sum. */

import { given } from '../../protocol/index.ts';
import { damageOf, StoreError, type Store } from '../../store/index.ts';
import type { Waiting } from '../operation.ts';
import { added, eachKey, NOTHING, runOf, type Share } from './keys.ts';

/** Shares, and problems, that are told. */
const MOST = { shares: 20, problems: 100 };

/** The largest shares are those of runs and conversations; of a conversation the store does not know the name. */
export async function largestOf(store: Store, shares: readonly Share[]) {
  const largest = shares.toSorted((a, b) => b.bytes - a.bytes).slice(0, MOST.shares);
  const told = largest.map(async ({ scope, count, bytes }) => {
    const { workflowId } = await runOf(store, scope);
    return given({ workflowId, scope, count, bytes });
  });
  return Promise.all(told);
}

/** What is damaged is told, and the rest is read all the same. @throws StoreError `unreadable` where the store is away */
export async function checkStore(store: Store, waiting: Waiting = {}) {
  const broken = await problemOf(['unwritable'], async () => store.probe?.());
  return readAll(store, 'read', waiting, async () => undefined, broken);
}

/**
 * What is there already is left as it is: a copy that was interrupted is made again. What is another thing there stays, and is told.
 * @throws StoreError where one of them is away
 */
export async function copyStore(from: Store, to: Store, waiting: Waiting = {}) {
  // The place of a database or a bucket leaves out a schema and the address of a server: copying one to itself is harmless.
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
 * @param work on what is whole; gives a problem in a sentence
 * @param first a problem that is known already
 * @returns the amounts of what has no problem, the first problems, and how many there are
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
    if (problems.length < MOST.problems) problems.push(problem);
  };
  await eachKey(store, verb, read, waiting);
  return { amounts, problems, problemCount };
}

/** A store that is away is no problem of what is in it. */
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
