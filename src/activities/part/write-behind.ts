/** A store that writes small results together and in the background, so that dependent nodes start at once. */

import { inLines, refOfBytes, type Piece, type ResultStore } from '../../store/index.ts';

/** Results above this size, in bytes, are not written in the background, so that memory use stays small. */
const AT_ONCE = 256 * 1024;
/** Results above this size, in bytes, are not combined with others. */
const SMALL = 16 * 1024;
/** Maximum size in bytes of the recent results in memory, which the next nodes probably read. */
const MEMORY = 64 * 2 ** 20;
/** How long a small result waits to be written together with others, in ms. */
const GATHER_MS = 10;
const MAX_BATCH = 256;

/** Recently written results by reference. If memory is full, the oldest are dropped. */
export interface RecentResults {
  get(ref: string): Uint8Array | undefined;
  add(ref: string, bytes: Uint8Array): void;
}

export function createRecentResults(most = MEMORY): RecentResults {
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

/** Writes contents and entries together. Each function resolves when its data are on disk. */
export interface WriteBatch {
  put(bytes: Uint8Array): Promise<void>;
  enter(name: string, bytes: Uint8Array): Promise<void>;
}

export function openWriteBatch(store: ResultStore): WriteBatch {
  const write = inLines<Piece, undefined>(
    () => '',
    async (pieces) => {
      for (let at = 0; at < pieces.length; at += MAX_BATCH) {
        await store.putTogether(pieces.slice(at, at + MAX_BATCH));
      }
      return pieces.map(() => undefined);
    },
    GATHER_MS,
  );
  return { put: (bytes) => write([bytes]), enter: (name, bytes) => write([bytes, name]) };
}

export interface WriteBehind {
  readonly store: ResultStore;
  /** Resolves when everything is on disk. @throws StoreError the first failure */
  settled(): Promise<void>;
}

/**
 * Makes a store that writes in the background. `enter` returns the given bytes, since a part runs each node once.
 * @param givenUp if aborted, nothing is written
 */
export function writeBehind(
  store: ResultStore,
  gathered: WriteBatch,
  lately: RecentResults,
  givenUp: AbortSignal,
): WriteBehind {
  const writes: Promise<unknown>[] = [];
  const behind = (write: Promise<unknown>) => {
    // `settled` reports the error.
    write.catch(() => undefined);
    writes.push(write);
  };
  const own: ResultStore = {
    ...store,
    async put(bytes) {
      givenUp.throwIfAborted();
      if (bytes.length > AT_ONCE) return store.put(bytes);
      const ref = refOfBytes(bytes);
      lately.add(ref, bytes);
      behind(bytes.length > SMALL ? store.put(bytes) : gathered.put(bytes));
      return ref;
    },
    async enter(name, bytes) {
      givenUp.throwIfAborted();
      behind(gathered.enter(name, bytes));
      return bytes;
    },
    async putAtOnce(pieces) {
      for (const [bytes, name] of pieces) await (name === undefined ? own.put(bytes) : own.enter(name, bytes));
      return pieces.map(([bytes]) => bytes);
    },
    get: async (ref) => lately.get(ref) ?? store.get(ref),
  };
  return {
    store: own,
    async settled() {
      // Waits until all writes have ended before it throws.
      for (const one of await Promise.allSettled(writes)) if (one.status === 'rejected') throw one.reason;
    },
  };
}
