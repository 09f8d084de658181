/** Holds a moment open in which a reply is bought and kept, and nobody has heard of it: the worst one in which to die. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Store } from 'planwright/results';
import { modelLedger } from './model-ledger.ts';

/** The journal of replies has its entries below the part of a run, under keys that have this in them. */
const OF_MODELS = '/calls/';

/** The same store; after it has taken a reply it waits `windowMs`, and writes both ends of that into the model ledger `file`. */
export function withJournalWindow(store: Store, file: string, windowMs: number): Store {
  const write = modelLedger(file);
  return {
    ...store,
    async put(key, bytes) {
      const isNew = await store.put(key, bytes);
      if (!key.includes(OF_MODELS)) return isNew;
      write({ what: 'journaled', name: key });
      await pause(windowMs);
      write({ what: 'handed-on', name: key });
      return isNew;
    },
  };
}
