/** A store in memory, for tests: what it has can be looked at and changed. */

import type { Store } from '../../src/store/index.ts';

export interface MemoryStore {
  readonly store: Store;
  readonly kept: Map<string, Uint8Array>;
  /** Each call of a verb, with its key. */
  readonly calls: string[];
  /** When keys were put, in milliseconds since 1970. */
  readonly at: Map<string, number>;
}

export function createMemoryStore(place = '/memory'): MemoryStore {
  const kept = new Map<string, Uint8Array>();
  const at = new Map<string, number>();
  const calls: string[] = [];
  const store: Store = {
    place,
    get(key) {
      calls.push(`get ${key}`);
      return Promise.resolve(kept.get(key));
    },
    put(key, bytes) {
      calls.push(`put ${key}`);
      if (kept.has(key)) return Promise.resolve(false);
      kept.set(key, Buffer.from(bytes));
      at.set(key, Date.now());
      return Promise.resolve(true);
    },
    async *list(prefix, after = '') {
      calls.push(`list ${prefix}`);
      await Promise.resolve();
      for (const key of [...kept.keys()].toSorted())
        if (key.startsWith(prefix) && key > after) yield { key, bytes: kept.get(key)!.length, at: at.get(key) ?? 0 };
    },
    remove(keys) {
      for (const key of keys) kept.delete(key);
      return Promise.resolve();
    },
  };
  return { store, kept, calls, at };
}
