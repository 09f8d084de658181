/** The things that a store has, one by one: for those who check it, copy it and take away what nobody refers to. */

import type { ResultStore } from './store.ts';

/** An object, the binding of a name, or a value that is kept under a name. */
export type ItemKind = 'object' | 'name' | 'kept';

/** One copy of a thing in a store. */
export interface Item {
  /** What it is. */
  readonly kind: ItemKind;
  /** The reference of an object; else the SHA-256 of the name, in base64url: a store does not know its names. */
  readonly key: string;
  /** The reference of the value that is kept, or the one that a name is bound to, where listing tells it. */
  readonly value?: string;
  /** Its length, without what the store needs for itself. */
  readonly bytes: number;
  /** When it was last stored, to the hour, in milliseconds since 1970: storing what is there counts. */
  readonly usedAt: number;
  /** The file, row or key of this copy. */
  readonly at: string;
}

/** What `remove` took away. */
export interface Removed {
  readonly count: number;
  readonly bytes: number;
}

/** Whether bytes are whole: those that were put at a key. */
export type IsWhole = (key: string, bytes: Uint8Array) => boolean;

/** What a store has, by keys. Every method throws StoreError as those of a `ResultStore` do. */
export interface Inventory {
  /** Every copy, in no order. One that is written meanwhile may be missing. */
  items(): AsyncIterable<Item>;
  /** The reference that the name of this key is bound to. */
  nameAt(key: string): Promise<string | undefined>;
  /** The distinct values kept under the name of this key. */
  keptAt(key: string): Promise<readonly Uint8Array[]>;
  /** As `bind`. */
  bindAt(key: string, ref: string): Promise<string>;
  /** Puts an object at a key that is not the SHA-256 of its bytes: they tell themselves whether they are whole. */
  putAt(key: string, bytes: Uint8Array): Promise<void>;
  /** An object that was put at a key. Of several copies one is given that is whole. */
  getAt(key: string, isWhole: IsWhole): Promise<Uint8Array>;
  /** As `keep`. */
  keepAt(key: string, value: Uint8Array): Promise<void>;
  /**
   * Takes these copies away, but for those that were stored since `usedBefore`, also in the very moment: what a `put` has
   * told as stored stays. A name goes by its key, and only while it is bound to its `value`. Names and kept values go before
   * objects, to which they lead.
   */
  remove(items: readonly Item[], usedBefore: number): Promise<Removed>;
}

/** A store that can be looked through. */
export interface OpenedStore extends ResultStore {
  /** What it has, by keys. */
  readonly inventory: Inventory;
}

/** An object or a kept value that is to be written. */
export interface NewEntry {
  readonly kind: 'object' | 'kept';
  /** SHA-256 of the bytes of an object, of the name of a kept value: 32 bytes. */
  readonly key: Buffer;
  readonly bytes: Uint8Array;
}

/**
 * What is found stored has its time renewed if it was last stored before so long. So a time in the store is late by as much, and
 * what is taken away must be older.
 */
export const RENEW_MS = 3_600_000;
