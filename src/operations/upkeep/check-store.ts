/** Reads everything that a store has, and tries what it promises. */

import { messageOf } from '../../plan/text/index.ts';
import { damageOf, StoreError, type Found, type Store } from '../../store/index.ts';
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
 * Everything is read once, and compared with its digest or check sum. Something that is damaged is told, and the rest is read all the same.
 * @throws StoreError `unreadable` where the store is away
 */
export async function checkStore(store: Store, hear?: Hear, signal?: AbortSignal): Promise<Checked> {
  const problems: string[] = [];
  let problemCount = 0;
  let amounts = NOTHING;
  /** A store that is away is no problem of what is in it. */
  const tried = async (work: () => Promise<string | undefined | void>): Promise<void> => {
    const problem = await work().catch((error: unknown) => {
      if (!(error instanceof StoreError) || error.code === 'unreadable') throw error;
      return messageOf(error);
    });
    if (typeof problem !== 'string') return;
    problemCount += 1;
    if (problems.length < MOST_TOLD) problems.push(problem);
  };
  await tried(async () => store.probe?.());
  const count = createProgress(hear, 'read');
  await eachOf(
    store.list(''),
    async ({ key, bytes }: Found) => {
      count();
      if (key.startsWith('probe/')) return;
      amounts = plus(amounts, { key, bytes });
      await tried(async () => {
        const there = await store.get(key);
        return there && damageOf(key, there, store.place);
      });
    },
    signal,
  );
  return { amounts, problems, problemCount };
}
