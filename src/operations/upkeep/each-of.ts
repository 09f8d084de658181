/** Work on many things as they come. */

/** Things that are worked on at once: a store behind a network answers many as fast as one. */
const AT_ONCE = 32;
/** Larger ones are worked on one by one, so that not many of them are in memory. In bytes. */
const LARGE = 16_777_216;

/**
 * Fails as the first one that failed, when what was under way has ended.
 * @throws the reason of `signal` where it is aborted
 */
export async function eachOf<T extends { readonly bytes: number }>(
  things: AsyncIterable<T> | Iterable<T>,
  work: (thing: T) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const iterator = Symbol.asyncIterator in things ? things[Symbol.asyncIterator]() : things[Symbol.iterator]();
  const failed: unknown[] = [];
  let large = Promise.resolve();
  const inTurn = (thing: T): Promise<void> => (large = large.then(() => work(thing)));
  const one = async (): Promise<void> => {
    while (failed.length === 0) {
      try {
        signal?.throwIfAborted();
        const next = await iterator.next();
        if (next.done === true) return;
        await (next.value.bytes > LARGE ? inTurn(next.value) : work(next.value));
      } catch (error) {
        failed.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  if (failed.length > 0) throw failed[0];
}
