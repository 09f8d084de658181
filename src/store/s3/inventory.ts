/** The things of a store in a bucket, listed and taken away. */

import { inParallel } from '../in-parallel.ts';
import type { Inventory, Item } from '../inventory.ts';
import type { Bucket, Found } from './bucket.ts';
import { nameKey, WEEK_MS } from './keys.ts';

/** Names that are looked at once before they are taken away. */
const AT_ONCE = 32;

export function createBucketInventory(bucket: Bucket): Pick<Inventory, 'items' | 'remove'> {
  return {
    async *items() {
      for (const top of ['objects/', 'names/', 'kept/']) {
        for await (const found of bucket.list(top)) {
          const item = itemOf(found);
          if (item !== undefined) yield item;
        }
      }
    },

    async remove(items, usedBefore) {
      const mayGo = await inParallel(AT_ONCE, items, async (item) => {
        if (item.usedAt >= usedBefore) return false;
        if (item.kind === 'object') return endOfWeek(item) < usedBefore;
        if (item.kind === 'kept') return true;
        return (await bucket.get(nameKey(item.key)))?.toString('latin1') === item.value;
      });
      const doomed = items.filter((_, at) => mayGo[at]);
      const keysOf = (some: readonly Item[]) => some.map(({ kind, key, at }) => (kind === 'name' ? nameKey(key) : at));
      await bucket.remove(keysOf(doomed.filter(({ kind }) => kind !== 'object')));
      await bucket.remove(keysOf(doomed.filter(({ kind }) => kind === 'object')));
      return { count: doomed.length, bytes: doomed.reduce((sum, { bytes }) => sum + bytes, 0) };
    },
  };
}

/** Nobody writes to its key from then on. */
function endOfWeek({ at }: Item): number {
  return (Number(at.slice(at.lastIndexOf('/') + 1)) + 1) * WEEK_MS;
}

function itemOf({ key: at, bytes, at: usedAt }: Found): Item | undefined {
  const [top, key = '', rest] = at.split('/');
  const one = { key, bytes, usedAt, at };
  if (top === 'objects' && rest !== undefined) return { kind: 'object', ...one };
  if (top === 'names') return { kind: 'name', ...one };
  return top === 'kept' && rest !== undefined ? { kind: 'kept', value: rest, ...one } : undefined;
}
