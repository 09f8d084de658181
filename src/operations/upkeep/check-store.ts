/** Reads everything that a store has, and tries what it promises. */

import { randomUUID } from 'node:crypto';
import { messageOf } from '../../plan/text/index.ts';
import { refOfBytes, StoreError, type Item, type OpenedStore } from '../../store/index.ts';
import { eachOf } from './each-of.ts';
import { NOTHING, plus, type Amounts } from './measure-store.ts';
import { createProgress, type Hear } from './progress.ts';

export interface Checked {
  readonly amounts: Amounts;
  /** Sentences, at most `MOST_TOLD`. */
  readonly problems: readonly string[];
  /** How many there are. */
  readonly problemCount: number;
}

/** Problems that are told. */
const MOST_TOLD = 100;

/**
 * Everything is read once, and compared with its digest. Something that is damaged is told, and the rest is read all the same.
 * @throws StoreError `unreadable` where the store is away
 */
export async function checkStore(store: OpenedStore, hear?: Hear, signal?: AbortSignal): Promise<Checked> {
  const problems: string[] = [];
  let problemCount = 0;
  const tell = (problem: string) => {
    problemCount += 1;
    if (problems.length < MOST_TOLD) problems.push(problem);
  };
  /** A store that is away is no problem of what is in it. */
  const tried = async (work: () => Promise<unknown>, otherwise: (error: StoreError) => string): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof StoreError) || error.code === 'unreadable') throw error;
      tell(otherwise(error));
    }
  };

  await tried(async () => store.probe?.(), messageOf);
  let amounts = NOTHING;
  const seen = new Set<string>();
  const count = createProgress(hear, 'read');
  const { items, nameAt, keptAt } = store.inventory;
  await eachOf(
    items(),
    async ({ kind, key, bytes }: Item) => {
      amounts = plus(amounts, { kind, bytes });
      count();
      const id = `${kind} ${key}`;
      if (seen.has(id)) return;
      seen.add(id);
      if (kind === 'object') return tried(() => store.get(key), messageOf);
      if (kind === 'kept') return tried(() => keptAt(key), messageOf);
      return tried(
        async () => {
          const ref = await nameAt(key);
          if (ref !== undefined) await store.get(ref);
        },
        ({ code, message }) =>
          code === 'not-found' ? `The name ${key} leads to an object that is not there. ${message}` : message,
      );
    },
    signal,
  );
  // Nothing has this reference: a store that may have lost things says so.
  const nothing = refOfBytes(Buffer.from(randomUUID()));
  await tried(
    () =>
      store.get(nothing).catch((error: unknown) => (isNotFound(error) ? undefined : Promise.reject(error as Error))),
    messageOf,
  );
  return { amounts, problems: [...new Set(problems)], problemCount };
}

function isNotFound(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'not-found';
}
