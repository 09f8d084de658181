/** Everything that a store has, and whose it is. */

import { jsonIn } from '../../../plan/text/index.ts';
import { ownerIn, userIn, type Owner, type StoreUser } from '../../../protocol/index.ts';
import { refOfBytes, StoreError, type Item, type OpenedStore } from '../../../store/index.ts';
import { eachOf } from '../each-of.ts';
import { wordsIn, type Word } from './references.ts';

/** A name, or a value that is kept under one. */
export interface Entry {
  readonly item: Item;
  /** The object that a name leads to. */
  readonly target?: string;
  /** The words of its value that may refer to something, which is needed as long as the entry is. */
  readonly words: readonly Word[];
  /** The run that it belongs to. An entry that tells none is kept. */
  readonly owner?: Owner;
  readonly user?: StoreUser;
  /** When its node finished, in milliseconds since 1970. */
  readonly at?: number;
}

export interface Stock {
  /** Every copy of an object. */
  readonly objects: readonly Item[];
  readonly sizes: ReadonlyMap<string, number>;
  readonly names: readonly Entry[];
  readonly kept: readonly Entry[];
}

/** @throws StoreError `unreadable` */
export async function takeStock(store: OpenedStore, count: () => void, signal?: AbortSignal): Promise<Stock> {
  const [objects, names, kept]: [Item[], Entry[], Entry[]] = [[], [], []];
  const sizes = new Map<string, number>();
  const values = new Map<string, Promise<readonly Uint8Array[]>>();
  await eachOf(
    store.inventory.items(),
    async (item) => {
      count();
      if (item.kind === 'object') {
        objects.push(item);
        sizes.set(item.key, item.bytes);
      } else if (item.kind === 'name') {
        const value = item.value ?? (await store.inventory.nameAt(item.key));
        if (value === undefined) return;
        names.push({ ...entryOf({ ...item, value }, await orNone(store.get(value))), target: value });
      } else {
        // Those of one name come one behind the other, and are read at once.
        const read = values.get(item.key) ?? store.inventory.keptAt(item.key);
        values.set(item.key, read);
        const bytes = (await orNone(read))?.find((one) => refOfBytes(one) === item.value);
        kept.push(entryOf(item, bytes));
      }
    },
    signal,
  );
  return { objects, sizes, names, kept };
}

function entryOf(item: Item, bytes: Uint8Array | undefined): Entry {
  const value = bytes && (jsonIn(bytes) as { readonly at?: unknown } | undefined);
  const [owner, user, at] = [ownerIn(value), userIn(value), Date.parse(String(value?.at))];
  return {
    item,
    words: bytes === undefined ? [] : wordsIn(Buffer.from(bytes).toString('latin1')),
    ...(owner !== undefined && { owner }),
    ...(user !== undefined && { user }),
    ...(Number.isFinite(at) && { at }),
  };
}

/** What is damaged belongs to nobody, and is kept: `store check` tells of it. */
async function orNone<T>(read: Promise<T>): Promise<T | undefined> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof StoreError && error.code !== 'unreadable') return undefined;
    throw error;
  }
}
