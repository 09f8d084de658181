/**
 * A store that writes behind the work: what stands on a result goes on at once, and the result is told when the disk has it. A name is
 * bound after all that was written before it: what a name leads to is there, also after a worker was lost.
 */

import type { ResultStore } from '../../store/index.ts';
import { refOfBytes } from '../../store/index.ts';

/** Larger results are waited for, so that not many of them are in memory. In bytes. */
const AT_ONCE = 256 * 1024;
/** Results that are kept in memory for the nodes that read them next. In bytes. */
const MEMORY = 64 * 2 ** 20;

/** Results that were written lately, by reference. The oldest are forgotten first. */
export interface Lately {
  get(ref: string): Uint8Array | undefined;
  add(ref: string, bytes: Uint8Array): void;
}

export function createLately(most = MEMORY): Lately {
  const kept = new Map<string, Uint8Array>();
  let size = 0;
  return {
    get: (ref) => kept.get(ref),
    add(ref, bytes) {
      if (bytes.length > AT_ONCE || kept.has(ref)) return;
      kept.set(ref, bytes);
      size += bytes.length;
      for (const [oldest, its] of kept) {
        if (size <= most) return;
        kept.delete(oldest);
        size -= its.length;
      }
    },
  };
}

export interface WriteBehind {
  readonly store: ResultStore;
  /** Resolves when the disk has all that was written. @throws StoreError as the first write that failed */
  settled(): Promise<void>;
}

export function writeBehind(store: ResultStore, lately: Lately): WriteBehind {
  const writes: Promise<unknown>[] = [];
  const behind = (write: Promise<unknown>) => {
    // `settled` tells of it.
    write.catch(() => undefined);
    writes.push(write);
  };
  const settled = async () => {
    // A failed one leaves nothing under way.
    for (const one of await Promise.allSettled(writes)) if (one.status === 'rejected') throw one.reason;
  };
  return {
    store: {
      ...store,
      async put(bytes) {
        if (bytes.length > AT_ONCE) return store.put(bytes);
        const ref = refOfBytes(bytes);
        lately.add(ref, bytes);
        behind(store.put(bytes));
        return ref;
      },
      keep(name, value) {
        behind(store.keep(name, value));
        return Promise.resolve();
      },
      get: async (ref) => lately.get(ref) ?? store.get(ref),
      async bind(name, ref) {
        await settled();
        return store.bind(name, ref);
      },
    },
    settled,
  };
}
