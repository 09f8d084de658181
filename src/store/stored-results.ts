import { decodeResult, encodeSteps } from './codec.ts';
import { inTurns } from './in-steps.ts';
import type { Result } from './codec.ts';
import { refOfBytes } from './refs.ts';
import { StoreError } from './store.ts';
import { messageOf } from '../plan/text/index.ts';
import type { ResultHandle } from '../protocol/index.ts';
import type { ResultStore } from './results.ts';

/**
 * Thrown for a result that no store can hold.
 * @example if (error instanceof UnstorableError) console.warn(error.message);
 */
export class UnstorableError extends TypeError {
  override readonly name = 'UnstorableError';
}

/**
 * Stores a result and returns what history carries instead of it.
 * @throws UnstorableError if the value is no JSON; StoreError `unwritable`
 * @example await writeResult(store, { kind: 'text', text: 'done' }); // { ref, kind: 'text', count: 4, bytes }
 */
export async function writeResult(store: ResultStore, result: Result): Promise<ResultHandle> {
  const { bytes, handle } = await encodedResult(result);
  await store.put(bytes);
  return handle;
}

/** The bytes of a result, and what history carries instead of it. @throws UnstorableError */
export async function encodedResult(result: Result) {
  const bytes = await bytesOf(result);
  const handle: ResultHandle = {
    ref: refOfBytes(bytes),
    kind: result.kind,
    count: countOf(result),
    bytes: bytes.length,
  };
  return { bytes, handle };
}

/** A value may be longer than a text can be, and its getters may throw. */
async function bytesOf(result: Result): Promise<Uint8Array> {
  const encoded = await inTurns(encodeSteps(result)).catch((error: unknown) => ({
    ok: false as const,
    message: `The result cannot be stored: ${messageOf(error)}`,
  }));
  if (encoded.ok) return encoded.bytes;
  throw new UnstorableError(encoded.message);
}

/**
 * The result behind a reference.
 * @throws StoreError `not-found`, `corrupt` (also for intact bytes that are no result), `invalid-ref`, `unreadable`
 * @example
 * const result = await readResult(store, handle.ref);
 * if (result.kind === 'set') console.log(toIdLines(result.set));
 */
export async function readResult(store: Pick<ResultStore, 'get' | 'place'>, ref: string): Promise<Result> {
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
