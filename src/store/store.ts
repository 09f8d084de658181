/**
 * A store: bytes under keys, in four verbs. Stored bytes never change. If several writers put the same key, exactly one
 * succeeds.
 *
 * A key is segments of `[a-z0-9_-]`, with `/` between them. The first say whose the bytes are:
 *
 *   runs/<owner>/<chain>/...   all that belongs to one run and its agents (`results.ts`)
 *   conversations/<hash>/...   drafts, artifacts and results of a conversation
 *   documents/...              plan documents on their way to a run
 *   calls/...                  replies of models that belong to no run
 */

/** A key in a store. */
export interface Found {
  readonly key: string;
  /** Its length, without the overhead of the store. */
  readonly bytes: number;
  /** The time of the put by the store's clock, in milliseconds since 1970. */
  readonly at: number;
}

/** Stores bytes under keys. Every method throws `StoreError` if the store is not available. */
export interface Store {
  /** The address of the store, for messages, without a secret. */
  readonly place: string;
  /** The bytes under a key, if any. @throws StoreError `unreadable` */
  get(key: string): Promise<Uint8Array | undefined>;
  /**
   * Puts bytes under a free key; they are on the disk when it resolves.
   * @returns false if the key is taken: its value stays. After a lost reply it may have these very bytes
   * @throws StoreError `unwritable`
   */
  put(key: string, bytes: Uint8Array): Promise<boolean>;
  /**
   * Puts the same bytes under several keys, in one write and in this order. Default: each is put by itself.
   * @returns as `put` does for each key
   */
  putUnder?(keys: readonly string[], bytes: Uint8Array): Promise<readonly boolean[]>;
  /**
   * The keys with `prefix`, always in the same order. Keys that are put meanwhile may be missing.
   * @param after only keys after this one, which need not exist
   * @throws StoreError `unreadable`
   */
  list(prefix: string, after?: string): AsyncIterable<Found>;
  /** Keys that do not exist are ignored. @throws StoreError `unwritable` */
  remove(keys: readonly string[]): Promise<void>;
  /**
   * Tests whether the store works as promised; a worker calls it before it takes tasks. Optional.
   * @throws StoreError that says what is missing
   */
  probe?(): Promise<void>;
}

/** Every code of a `StoreError`. */
export const STORE_ERROR_CODES = [
  /** The store has no such result. @fix Let client and worker use one store (`PLANWRIGHT_STORE`). */
  'not-found',
  /** The bytes are not what was stored. @fix Restore the file; its name is in the message. */
  'corrupt',
  /** The reference is none. @fix Copy it whole. */
  'invalid-ref',
  /** The store cannot be read. @fix Follow the message: permissions, address, credentials. */
  'unreadable',
  /**
   * The store cannot be written, or does not keep what a store promises. @fix Follow the message: permissions, room on
   * the disk, address, a setting.
   */
  'unwritable',
  /** The package that reaches the store is missing. @fix `npm install pg`, or `@aws-sdk/client-s3`. */
  'not-installed',
] as const;

/** The stable code of a `StoreError`, one of `STORE_ERROR_CODES`. */
export type StoreErrorCode = (typeof STORE_ERROR_CODES)[number];

/**
 * The error of a store: a stable code, and a message that names the reference and the place.
 * @example if (error instanceof StoreError && error.code === 'not-found') show('there is no result');
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const KEY = /^[a-z0-9_-]{1,80}(?:\/[a-z0-9_-]{1,80})*$/;

/** @throws TypeError for any other text: no driver may use it as a path */
export function checkKey(key: string): string {
  if (KEY.test(key)) return key;
  throw new TypeError(
    `${JSON.stringify(key)} is no key of a store: expected segments of a-z, 0-9, _ and - with / between`,
  );
}

/** Sorts after every key with this prefix, and before all others. */
const LAST = '~';

/** The names directly below a prefix, which ends with `/`. */
export async function* childrenOf(store: Pick<Store, 'list'>, prefix: string): AsyncGenerator<string> {
  for (let after: string | undefined; ;) {
    const { value } = await store.list(prefix, after)[Symbol.asyncIterator]().next();
    if (value === undefined) return;
    const [name = ''] = (value as Found).key.slice(prefix.length).split('/');
    yield name;
    after = `${prefix}${name}/${LAST}`;
  }
}

/** A store that shows a write only later. Treating the own write as the winner would let an effect begin twice. */
export function forgotten(key: string, place: string): StoreError {
  return new StoreError(
    'unreadable',
    `The result store at ${place} was told ${key} and does not have it a moment later. Every process must see at once what another has written: on a file system that machines share, in a bucket, in a database.`,
  );
}
