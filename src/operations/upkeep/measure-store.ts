/** How much a store has. */

import type { ItemKind, OpenedStore } from '../../store/index.ts';

/** How many there are of one kind, and their bytes. A thing that stands in the store twice counts twice. */
export interface Amount {
  readonly count: number;
  readonly bytes: number;
}
export type Amounts = Readonly<Record<ItemKind, Amount>>;

export const NOTHING: Amounts = {
  object: { count: 0, bytes: 0 },
  name: { count: 0, bytes: 0 },
  kept: { count: 0, bytes: 0 },
};

export function plus(amounts: Amounts, { kind, bytes }: { readonly kind: ItemKind; readonly bytes: number }): Amounts {
  const { count, bytes: before } = amounts[kind];
  return { ...amounts, [kind]: { count: count + 1, bytes: before + bytes } };
}

export function totalOf(amounts: Amounts): Amount {
  const all = Object.values(amounts);
  return { count: all.reduce((sum, one) => sum + one.count, 0), bytes: all.reduce((sum, one) => sum + one.bytes, 0) };
}

/** @throws StoreError `unreadable` */
export async function measureStore({ inventory }: OpenedStore, signal?: AbortSignal): Promise<Amounts> {
  let amounts = NOTHING;
  for await (const item of inventory.items()) {
    signal?.throwIfAborted();
    amounts = plus(amounts, item);
  }
  return amounts;
}
