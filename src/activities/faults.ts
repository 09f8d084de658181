/**
 * Faults of the store, a disk or the server. They are not failures of the work, so its run waits until they end. Each
 * is marked once, at the call of the store, and recognised by its code.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { isGrpcServiceError, ServiceError } from '@temporalio/client';
import type { Effect } from '../plan/index.ts';
import { StoreError, type Store } from '../store/index.ts';
import { messageOf } from '../plan/text/index.ts';

/** Disk errors (errno) that affect everybody. No access to a single file is not one of them. */
const DISK_CODES = ['ENOSPC', 'EDQUOT', 'EIO', 'EROFS', 'EMFILE', 'ENFILE'];
/** The errors of a Temporal server that could not look at the call (gRPC status codes). */
const SERVER_CODES: ReadonlyMap<number, string> = new Map([
  [4, 'DEADLINE_EXCEEDED'],
  [8, 'RESOURCE_EXHAUSTED'],
  [14, 'UNAVAILABLE'],
]);
/** Errors in an error that are looked at for a fault. */
const MAX_CAUSES = 5;
/**
 * The pause between two tries; it doubles.
 * @bound .inAll the wait of an idempotent effect whose result cannot be stored
 * @beyond it is deferred, and repeated when the store is back; an at-most-once effect tries as long as its attempt lives
 */
const PAUSE_MS = { first: 200, most: 5000, inAll: 60_000 };

/** Marks the faults of a store: every error except an answer about a result. */
export function markFaults(store: Store): Store {
  const marked = async <T>(code: 'unreadable' | 'unwritable', call: () => Promise<T>): Promise<T> => {
    try {
      return await call();
    } catch (cause) {
      if (cause instanceof StoreError) throw cause;
      throw new StoreError(code, `The result store at ${store.place} failed: ${messageOf(cause)}`, { cause });
    }
  };
  return {
    place: store.place,
    put: (key, bytes) => marked('unwritable', () => store.put(key, bytes)),
    ...(store.putUnder && { putUnder: (keys, bytes) => marked('unwritable', () => store.putUnder!(keys, bytes)) }),
    get: (key) => marked('unreadable', () => store.get(key)),
    async *list(prefix, after) {
      const keys = store.list(prefix, after)[Symbol.asyncIterator]();
      for (;;) {
        const next = await marked('unreadable', () => keys.next());
        if (next.done === true) return;
        yield next.value;
      }
    },
    remove: (keys) => marked('unwritable', () => store.remove(keys)),
  };
}

/** What is away, such as `the store: ENOSPC`; undefined if the error is another one. */
export function faultIn(error: unknown): string | undefined {
  const causes = causesOf(error);
  const store = causes.find((one) => one instanceof StoreError);
  if (store !== undefined) {
    const isFault = store.code === 'unreadable' || store.code === 'unwritable';
    return isFault ? `the store: ${causes.map(codeOf).find((code) => /^[A-Z]/.test(code)) ?? store.code}` : undefined;
  }
  const disk = causes.find((one) => 'syscall' in one && DISK_CODES.includes(codeOf(one)));
  if (disk !== undefined) return `the disk: ${codeOf(disk)}`;
  if (!causes.some((one) => one instanceof ServiceError)) return undefined;
  const code = causes.flatMap((one) => (isGrpcServiceError(one) ? (SERVER_CODES.get(one.code) ?? []) : []))[0];
  return code && `the server: ${code}`;
}

function causesOf(error: unknown): readonly Error[] {
  const causes: Error[] = [];
  for (let one = error; one instanceof Error && causes.length < MAX_CAUSES; one = one.cause) causes.push(one);
  return causes;
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : '';
}

/**
 * Stores the result of an effect that has happened, with retries. A repeatable effect tries for a minute, then its run
 * waits and shows that; other effects try as long as the attempt lives.
 * @throws the fault of the store, once `signal` is aborted or the minute is over
 */
export async function storeAtLast<T>(
  store: () => Promise<T>,
  signal: AbortSignal,
  effect: Exclude<Effect, 'read'>,
): Promise<T> {
  const until = effect === 'idempotent' ? performance.now() + PAUSE_MS.inAll : Infinity;
  for (let pause = PAUSE_MS.first; ; pause = Math.min(2 * pause, PAUSE_MS.most)) {
    try {
      return await store();
    } catch (error) {
      if (faultIn(error) === undefined || signal.aborted || performance.now() >= until) throw error;
      await sleep(pause, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) throw error;
    }
  }
}
