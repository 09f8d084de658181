/** A store in which small writes wait some milliseconds for others, so that more of them share a commit. */

import type { ResultStore } from '../../store/index.ts';

/** A chain of nodes that take no time makes a dozen of them meanwhile; nobody waits for it but the end of a part. */
const GATHER_MS = 4;
/** Larger results are written at once. In bytes. */
const SMALL = 16 * 1024;

export function gathering(store: ResultStore): ResultStore {
  let tick: Promise<void> | undefined;
  const together = async <T>(bytes: Uint8Array, write: () => Promise<T>): Promise<T> => {
    if (bytes.length <= SMALL) await (tick ??= nextTick());
    return write();
  };
  const nextTick = () =>
    new Promise<void>((resolve) => {
      setTimeout(() => {
        tick = undefined;
        resolve();
      }, GATHER_MS);
    });
  return {
    ...store,
    put: (bytes) => together(bytes, () => store.put(bytes)),
    keep: (name, value) => together(value, () => store.keep(name, value)),
  };
}
