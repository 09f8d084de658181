/**
 * The store of results and plans. Content-addressed: the reference is the SHA-256 of the bytes, so that writing twice
 * is harmless, a retry writes what the first attempt wrote, and a changed byte is noticed on read.
 */

export interface ResultStore {
  /**
   * Stores the bytes and returns their reference. Storing the same bytes again is free of effect.
   * @throws StoreError `unwritable`.
   */
  put(bytes: Uint8Array): Promise<string>;
  /**
   * The bytes behind a reference.
   * @throws StoreError `not-found` when there are none, `corrupt` when their digest is not the reference or they may have been lost,
   * `invalid-ref` when it is no reference, `unreadable` when the store cannot be read.
   */
  get(ref: string): Promise<Uint8Array>;
  /**
   * Binds a name to a reference if it is free, and returns the reference it is bound to afterwards.
   * @throws StoreError `invalid-ref`, `unreadable`, `unwritable`, and `corrupt` when the binding holds no reference.
   */
  bind(name: string, ref: string): Promise<string>;
  /**
   * The reference that a name is bound to, or `undefined` while it is free. Once bound it never changes.
   * @throws StoreError `unreadable`, and `corrupt` when the binding holds no reference.
   */
  bound(name: string): Promise<string | undefined>;
  /**
   * Adds a value to those kept under a name; equal bytes count once. It is on the disk when it resolves, and after the objects
   * whose `put` was called before it.
   * @throws StoreError `unwritable`.
   */
  keep(name: string, value: Uint8Array): Promise<void>;
  /**
   * The distinct values kept under a name, in no order; at most 100 are read.
   * @throws StoreError `unreadable`, and `corrupt` when one was changed, or when there is none and one may have been lost.
   */
  kept(name: string): Promise<readonly Uint8Array[]>;
  /** The place of the store, for messages to people. */
  readonly place: string;
  /**
   * Tries whether it can be used and keeps what it promises; a worker asks it before it takes work. Default: it is not asked.
   * @throws StoreError that says what is missing
   */
  probe?(): Promise<void>;
}

/** Distinct values under one name that are read. */
export const MAX_KEPT = 100;

/** Every code of a `StoreError`. docs/errors.md says what to do about each. */
export const STORE_ERROR_CODES = [
  'not-found',
  'corrupt',
  'invalid-ref',
  'unreadable',
  'unwritable',
  'not-installed',
] as const;

/** The stable code of a `StoreError`, one of `STORE_ERROR_CODES`. */
export type StoreErrorCode = (typeof STORE_ERROR_CODES)[number];

/**
 * The error of a store: a stable code, and a message that names the reference and the place.
 * @example if (error instanceof StoreError && error.code === 'not-found') return undefined;
 */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
