import { oneLine } from '../plan/text/index.ts';

/**
 * A store holds bytes under keys. Stored bytes never change. If several writers put the same key, exactly one succeeds.
 *
 * A key consists of segments of `[a-z0-9_-]`, separated by `/`. The first segments say what the bytes belong to:
 *
 *   runs/<owner>/<firstRunId>/...   one run and its agents (`results.ts`)
 *   conversations/<hash>/...   drafts, artifacts and results of a conversation
 *   grants/<frame>/<id>/...    standing grants and their uses
 *   documents/...              plan documents for future runs
 *   receipts/<day>/<hash>/...   what was done in a run that has ended (docs/receipts.md)
 *   calls/...                  replies of models that belong to no run
 */

export interface Found {
  readonly key: string;
  /** The length of the bytes, without the overhead of the store. */
  readonly bytes: number;
  /** When the key was put, by the store's clock, in milliseconds since 1970. */
  readonly at: number;
}

/** Stores bytes under keys. Every method throws `StoreError` if the store is not available. */
export interface Store {
  /** The address of the store for messages. It contains no secrets. */
  readonly place: string;
  /** Reads the bytes under a key; undefined if there are none. @throws StoreError `unreadable` */
  get(key: string): Promise<Uint8Array | undefined>;
  /**
   * Stores bytes under a key, unless the key exists. The bytes are on the disk when it resolves.
   * @returns false if the key exists: its value stays. If a reply was lost, the value may be these very bytes
   * @throws StoreError `unwritable`
   */
  put(key: string, bytes: Uint8Array): Promise<boolean>;
  /**
   * Stores the same bytes under several keys, with one write and in this order.
   * @returns for each key, what `put` returns
   */
  putUnder?(keys: readonly string[], bytes: Uint8Array): Promise<readonly boolean[]>;
  /**
   * Lists the keys with a prefix, always in the same order. Keys that are put meanwhile may be missing.
   * @param after only keys after this one, which need not exist
   * @throws StoreError `unreadable`
   */
  list(prefix: string, after?: string): AsyncIterable<Found>;
  /** Removes keys. Keys that do not exist are ignored. @throws StoreError `unwritable` */
  remove(keys: readonly string[]): Promise<void>;
  /** Tests whether the store works as promised, before a worker starts. @throws StoreError with what is missing */
  probe?(): Promise<void>;
}

/** Every code of a `StoreError`. */
export const STORE_ERROR_CODES = [
  /** The store does not have the result. @fix Let client and worker use the same store (`PLANWRIGHT_STORE`). */
  'not-found',
  /** The bytes differ from what was stored. @fix Restore the file that the message names. */
  'corrupt',
  /** The reference is malformed. @fix Copy the whole reference. */
  'invalid-ref',
  /** The store cannot be read. @fix Follow the message: permissions, address, credentials. */
  'unreadable',
  /** The store cannot be written, or breaks its promises. @fix Follow the message: permissions, space, a setting. */
  'unwritable',
  /** The package that accesses the store is not installed. @fix `npm install pg`, or `@aws-sdk/client-s3`. */
  'not-installed',
] as const;

/** The stable code of a `StoreError`. */
export type StoreErrorCode = (typeof STORE_ERROR_CODES)[number];

/**
 * The error of a store: a stable code, and a message that names the reference and the address.
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

/** Checks a key, since a driver could use other texts as paths. @throws TypeError if it is malformed */
export function checkKey(key: string): string {
  if (KEY.test(key)) return key;
  throw new TypeError(
    `${JSON.stringify(key)} is no key of a store: expected segments of a-z, 0-9, _ and - with / between`,
  );
}

/** Sorts after all characters of keys. */
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

/** The error for a store whose writes become visible late. With such a store an effect could begin twice. */
export function forgotten(key: string, place: string): StoreError {
  return new StoreError(
    'unreadable',
    `The result store at ${place} was told ${key} and does not have it a moment later. Every process must see at once what another has written: on a file system that machines share, in a bucket, in a database.`,
  );
}

export interface ExplainedError {
  /** The name of the error, such as `ECONNREFUSED`, which a waiting run shows. */
  readonly code: string;
  readonly message: string;
  readonly advice: string;
}

export function storeFault(
  what: 'unreadable' | 'unwritable',
  place: string,
  explained: ExplainedError,
  error: unknown,
): StoreError {
  const { code, message, advice } = explained;
  const cause = Object.assign(new Error(message, { cause: error }), { code });
  const verb = what === 'unreadable' ? 'read' : 'written';
  const why = message.includes(code) ? message : `${code}: ${message}`;
  return new StoreError(what, `The result store at ${place} cannot be ${verb} (${oneLine(why)}). ${advice}`, { cause });
}

/** Imports an optional package. @throws StoreError `not-installed` with the command that installs it */
export async function optional<T>(name: string, needs: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const isMissing =
      cause instanceof Error && cause.message.includes(`'${name}'`) && /Cannot find/.test(cause.message);
    if (!isMissing) throw cause;
    throw new StoreError('not-installed', `${needs} needs the package ${name} beside planwright: npm install ${name}`, {
      cause,
    });
  }
}
