/** Everything of one store in another, of any kind. */

import { damageOf, isRemoteStore, StoreError, type Found, type Store } from '../../store/index.ts';
import { eachOf } from './each-of.ts';
import { NOTHING, plus, type Amounts } from './measure-store.ts';
import { createProgress, type Hear } from './progress.ts';

export interface Copied {
  /** What is in the second store now, of the first. */
  readonly amounts: Amounts;
  /** Sentences: what could not be copied. */
  readonly problems: readonly string[];
}

/**
 * What is there already is left as it is: a copy that was interrupted is made again. What is another thing there stays, and is told.
 * @throws StoreError where one of them is away
 */
export async function copyStore(from: Store, to: Store, hear?: Hear, signal?: AbortSignal): Promise<Copied> {
  // The place of a database or a bucket leaves out a schema and the address of a server: copying one to itself is harmless.
  const isSame = from === to || (from.place === to.place && !isRemoteStore(from.place));
  if (isSame) throw new TypeError(`${from.place} is both; name another store to copy to`);
  await to.probe?.();
  const problems: string[] = [];
  let amounts = NOTHING;
  const count = createProgress(hear, 'copied');
  const copied = async (key: string): Promise<string | undefined> => {
    const bytes = await from.get(key);
    const damage = bytes && damageOf(key, bytes, from.place);
    if (bytes === undefined || damage !== undefined) return damage;
    if (await to.put(key, bytes)) return undefined;
    const there = await to.get(key);
    return there !== undefined && Buffer.compare(there, bytes) === 0
      ? undefined
      : `${key} is another thing in ${to.place} than in ${from.place}.`;
  };
  await eachOf(
    from.list(''),
    async ({ key, bytes }: Found) => {
      if (key.startsWith('probe/')) return;
      const problem = await copied(key).catch((error: unknown) => {
        if (error instanceof StoreError && error.code === 'corrupt') return error.message;
        throw error;
      });
      if (problem === undefined) amounts = plus(amounts, { key, bytes });
      else problems.push(problem);
      count();
    },
    signal,
  );
  return { amounts, problems };
}
