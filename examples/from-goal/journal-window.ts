/** Holds a moment open in which a reply is bought and kept, and nobody has heard of it: the worst one in which to die. */

import { setTimeout as pause } from 'node:timers/promises';
import type { ResultStore } from 'planwright/results';
import { modelLedger } from './model-ledger.ts';

/** The journal of replies binds its entries under names that begin so. */
const OF_MODELS = 'model/';

/** The same store; after it has taken a reply it waits `windowMs`, and writes both ends of that into the model ledger `file`. */
export function withJournalWindow(store: ResultStore, file: string, windowMs: number): ResultStore {
  const write = modelLedger(file);
  return {
    place: store.place,
    put: (bytes) => store.put(bytes),
    get: (ref) => store.get(ref),
    bound: (name) => store.bound(name),
    keep: (name, value) => store.keep(name, value),
    kept: (name) => store.kept(name),
    async bind(name, ref) {
      const bound = await store.bind(name, ref);
      if (!name.startsWith(OF_MODELS)) return bound;
      write({ what: 'journaled', name });
      await pause(windowMs);
      write({ what: 'handed-on', name });
      return bound;
    },
  };
}
