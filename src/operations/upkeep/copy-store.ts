/** Everything of one store in another, of any kind. */

import { quote } from '../../plan/text/index.ts';
import { isRemoteStore, StoreError, type Item, type OpenedStore } from '../../store/index.ts';
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
 * Copies objects, then values, then names, so that nothing leads to what is not there yet. What is there already is left as it is: a
 * copy that was interrupted is made again. A name that is bound otherwise there stays, and is told.
 * @throws StoreError where one of them is away
 */
export async function copyStore(
  from: OpenedStore,
  to: OpenedStore,
  hear?: Hear,
  signal?: AbortSignal,
): Promise<Copied> {
  // The place of a database or a bucket leaves out a schema and the address of a server: copying one to itself is harmless.
  const isSame = from === to || (from.place === to.place && !isRemoteStore(from.place));
  if (isSame) throw new TypeError(`${from.place} is both; name another store to copy to`);
  await to.probe?.();
  const problems: string[] = [];
  let amounts = NOTHING;
  const byKind: Record<Item['kind'], Item[]> = { object: [], kept: [], name: [] };
  const seen = new Set<string>();
  for await (const item of from.inventory.items()) {
    const id = `${item.kind} ${item.key} ${item.value ?? ''}`;
    if (!seen.has(id)) byKind[item.kind].push(item);
    seen.add(id);
  }
  const count = createProgress(hear, 'copied');
  const keys = new Set<string>();
  const copies: Readonly<Record<Item['kind'], (item: Item) => Promise<void>>> = {
    object: async ({ key }) => {
      await to.put(await from.get(key));
    },
    kept: async ({ key }) => {
      // All values under a key are read at once.
      if (keys.has(key)) return;
      keys.add(key);
      await Promise.all((await from.inventory.keptAt(key)).map((value) => to.inventory.keepAt(key, value)));
    },
    name: async ({ key }) => {
      const ref = await from.inventory.nameAt(key);
      const bound = ref && (await to.inventory.bindAt(key, ref));
      if (bound === ref) return;
      problems.push(
        `The name ${key} is bound to ${quote(bound ?? '')} in ${to.place}, and to ${quote(ref ?? '')} in ${from.place}.`,
      );
    },
  };
  for (const kind of ['object', 'kept', 'name'] as const) {
    await eachOf(
      byKind[kind],
      async (item) => {
        try {
          await copies[kind](item);
          amounts = plus(amounts, item);
        } catch (error) {
          if (!(error instanceof StoreError) || !['corrupt', 'not-found'].includes(error.code)) throw error;
          problems.push(error.message);
        }
        count();
      },
      signal,
    );
  }
  return { amounts, problems };
}
