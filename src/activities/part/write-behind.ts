/**
 * A store that writes in the background: dependent nodes continue at once, and a result is reported once it is on disk.
 * Small results are written together with the entries of their nodes.
 */

import { inLines, refOfBytes, type Piece, type ResultStore } from '../../store/index.ts';

/** Larger results are waited for, so that not many of them are in memory. In bytes. */
const AT_ONCE = 256 * 1024;
/** Larger results are written alone. In bytes. */
const SMALL = 16 * 1024;
/** Bytes of results in memory for the nodes that read them next. */
const MEMORY = 64 * 2 ** 20;
/** So long a small result waits for others, and of so many that are written together. */
const GATHER_MS = 10;
/** Results that are written together. */
const MOST_TOGETHER = 256;

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

/** Contents and entries that are written in one; both resolve when the disk has them. */
export interface Together {
  put(bytes: Uint8Array): Promise<void>;
  enter(name: string, bytes: Uint8Array): Promise<void>;
}

export function together(store: ResultStore): Together {
  const write = inLines<Piece, undefined>(
    () => '',
    async (pieces) => {
      for (let at = 0; at < pieces.length; at += MOST_TOGETHER) {
        await store.putTogether(pieces.slice(at, at + MOST_TOGETHER));
      }
      return pieces.map(() => undefined);
    },
    GATHER_MS,
  );
  return { put: (bytes) => write([bytes]), enter: (name, bytes) => write([bytes, name]) };
}

export interface WriteBehind {
  readonly store: ResultStore;
  /** Resolves when everything is on disk. @throws StoreError of the first failed write */
  settled(): Promise<void>;
}

/**
 * An entry counts as the first of its name, since a part runs each node once.
 * @param givenUp if aborted, nothing is written any more: somebody else has the node
 */
export function writeBehind(store: ResultStore, gathered: Together, lately: Lately, givenUp: AbortSignal): WriteBehind {
  const writes: Promise<unknown>[] = [];
  const behind = (write: Promise<unknown>) => {
    // `settled` reports it.
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
      // A failed one leaves nothing under way.
      for (const one of await Promise.allSettled(writes)) if (one.status === 'rejected') throw one.reason;
    },
  };
}
