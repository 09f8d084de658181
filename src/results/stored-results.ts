/** Results in a store. */

import { decodeResult, encodeSteps } from './codec.ts';
import { inTurns } from './in-steps.ts';
import type { Result } from './codec.ts';
import { StoreError } from './store.ts';
import type { ResultHandle } from '../contract/index.ts';
import type { ResultStore } from './store.ts';

/**
 * Stores a result and returns what history carries instead of it.
 * @throws TypeError for a value that JSON cannot hold; StoreError `unwritable`.
 * @example await writeResult(store, { kind: 'text', text: 'done' }); // { ref, kind: 'text', count: 4, bytes }
 */
export async function writeResult(store: ResultStore, result: Result): Promise<ResultHandle> {
  const encoded = await inTurns(encodeSteps(result));
  if (!encoded.ok) throw new TypeError(encoded.message);
  const ref = await store.put(encoded.bytes);
  return { ref, kind: result.kind, count: countOf(result), bytes: encoded.bytes.length };
}

/**
 * The result behind a reference.
 * @throws StoreError `not-found`, `corrupt` (also for bytes that are intact and no result), `invalid-ref`, `unreadable`.
 * @example
 * const result = await readResult(store, handle.ref);
 * if (result.kind === 'set') console.log(toIdLines(result.set));
 */
export async function readResult(store: ResultStore, ref: string): Promise<Result> {
  const decoded = decodeResult(await store.get(ref));
  if (!decoded.ok)
    throw new StoreError('corrupt', `${ref} in the store at ${store.place} is no result. ${decoded.message}`);
  return decoded.result;
}

function countOf(result: Result): number {
  switch (result.kind) {
    case 'set':
      return result.set.ids.length;
    case 'value':
      return 1;
    case 'text':
      return result.text.length;
  }
}
