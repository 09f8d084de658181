/** The part of a store that does not depend on where it keeps things: groups, copies, and what is under way in this process. */

import { createGroups } from './groups.ts';
import type { Inventory, IsWhole, NewEntry, OpenedStore } from './inventory.ts';
import { digestOf, normalRef, refOfBytes } from './refs.ts';

/** The place where a store keeps things. */
export interface Shelf extends Omit<Inventory, 'putAt' | 'getAt' | 'keepAt'> {
  /** For messages to people, without a secret. */
  readonly place: string;
  /** Entries with more bytes are written alone, beside the groups. */
  readonly largest: number;
  /** Resolves when all of them are stored for good; objects before the kept values, which name them. @throws StoreError `unwritable` */
  write(group: readonly NewEntry[]): Promise<void>;
  /**
   * @param isWhole whether bytes are those that were put there
   * @throws StoreError `not-found`, `corrupt`, `unreadable`
   */
  object(key: string, isWhole: IsWhole): Promise<Uint8Array>;
  /** As that of a `ResultStore`. */
  readonly probe?: () => Promise<void>;
}

/** A group ends with the entry that brings it to as much, in bytes. */
const MAX_GROUP_BYTES = 16_777_216;
/** An entry weighs so much beside its bytes, so that a group of tiny ones ends as well. */
const ENTRY_WEIGHS = 4096;

/** Calls of one turn of the event loop, and those that come while a group is written, are a group. */
export function createGroupedStore(shelf: Shelf): OpenedStore {
  const { items, nameAt, keptAt, bindAt, remove } = shelf;
  const joinGroup = createGroups(shelf.write, MAX_GROUP_BYTES, ({ bytes }) => ENTRY_WEIGHS + bytes.length);
  const underWay = new Map<string, { readonly bytes: Uint8Array; readonly stored: Promise<void> }>();
  const large = new Set<Promise<void>>();

  const write = (one: NewEntry): Promise<void> => {
    if (one.bytes.length <= shelf.largest) return joinGroup(one);
    const stored = shelf.write([one]);
    large.add(stored);
    const forget = () => void large.delete(stored);
    stored.then(forget, forget);
    return stored;
  };

  const keepAt = async (key: string, value: Uint8Array): Promise<void> => {
    const bytes = Buffer.from(value);
    // Those are no part of a group, and a value that is kept after them may name them.
    await Promise.all(large);
    await write({ kind: 'kept', key: Buffer.from(key, 'base64url'), bytes });
  };

  const putAt = async (at: string, bytes: Uint8Array): Promise<void> => {
    const before = underWay.get(at);
    const stored = before?.stored ?? write({ kind: 'object', key: Buffer.from(at, 'base64url'), bytes });
    if (before === undefined) underWay.set(at, { bytes, stored });
    try {
      await stored;
    } finally {
      if (underWay.get(at)?.stored === stored) underWay.delete(at);
    }
  };

  const getAt = async (at: string, isWhole: IsWhole): Promise<Uint8Array> => {
    const bytes = underWay.get(at)?.bytes;
    return bytes === undefined ? shelf.object(at, isWhole) : Buffer.from(bytes);
  };

  return {
    place: shelf.place,
    ...(shelf.probe !== undefined && { probe: shelf.probe }),
    inventory: { items, nameAt, keptAt, bindAt, remove, putAt, getAt, keepAt },

    async put(given) {
      // A copy cannot be changed before it is written; the bytes of a large one begin to be written at once.
      const bytes = given.length <= shelf.largest ? Buffer.from(given) : given;
      const ref = refOfBytes(bytes);
      await putAt(ref, bytes);
      return ref;
    },

    get: async (ref) => getAt(normalRef(ref), isOfRef),

    bind: async (name, ref) => bindAt(keyOf(name), normalRef(ref)),
    bound: async (name) => nameAt(keyOf(name)),
    keep: async (name, value) => keepAt(keyOf(name), value),
    kept: async (name) => keptAt(keyOf(name)),
  };
}

function isOfRef(ref: string, bytes: Uint8Array): boolean {
  return refOfBytes(bytes) === ref;
}

/** The key of a name: any text is one, and none leads out of a store. */
export function keyOf(name: string): string {
  return digestOf(name).toString('base64url');
}
