/** Contents of a store, whichever run they belong to. */

import { childrenOf, resultsIn, RUNS, StoreError, type ResultStore, type Store } from '../../src/store/index.ts';

export function anywhere(store: Store): Pick<ResultStore, 'get' | 'place'> {
  return {
    place: store.place,
    async get(ref) {
      for await (const scope of scopesIn(store)) {
        const found = await resultsIn(store, scope)
          .get(ref)
          .catch((error: unknown) => {
            if (error instanceof StoreError && error.code === 'not-found') return undefined;
            throw error;
          });
        if (found !== undefined) return found;
      }
      throw new StoreError('not-found', `no run has ${ref} in ${store.place}`);
    },
  };
}

/** The runs that a store has something of: `runs/<owner>/<chain>`. */
export async function* scopesIn(store: Store): AsyncGenerator<string> {
  for await (const owner of childrenOf(store, RUNS))
    for await (const firstRunId of childrenOf(store, `${RUNS}${owner}/`))
      if (firstRunId !== 'starts') yield `${RUNS}${owner}/${firstRunId}`;
}
