/** The rows of a store in PostgreSQL, listed and taken away. */

import type { Inventory, Item, ItemKind } from '../inventory.ts';
import type { Database, Row, Value } from './database.ts';
import { LIST, REMOVE } from './tables.ts';

/** Rows of a listing that are read at once. */
const PAGE = 5000;
/** Rows that are taken away by one statement. */
const REMOVED_AT_ONCE = 1000;
/** Names and kept values lead to objects. */
const KINDS: readonly ItemKind[] = ['name', 'kept', 'object'];

export function createPostgresInventory(database: Database): Pick<Inventory, 'items' | 'remove'> {
  return {
    async *items() {
      for (const kind of KINDS) {
        for (let last: Item | undefined, isMore = true; isMore;) {
          const behind: readonly Value[] = [bytesOf(last?.key ?? ''), PAGE];
          const values = kind === 'kept' ? [...behind, bytesOf(last?.value ?? '')] : behind;
          const rows = await database.read(LIST[kind], values);
          for (const row of rows) yield (last = itemOf(kind, row));
          isMore = rows.length === PAGE;
        }
      }
    },

    async remove(items, usedBefore) {
      const sum = { count: 0, bytes: 0 };
      for (const kind of KINDS) {
        const wanted = items.filter((one) => one.kind === kind && (kind === 'object') === (one.value === undefined));
        for (let from = 0; from < wanted.length; from += REMOVED_AT_ONCE) {
          const some = wanted.slice(from, from + REMOVED_AT_ONCE);
          const values = kind === 'object' ? [] : some.map(({ value = '' }) => bytesOf(value));
          const keys = some.map(({ key }) => bytesOf(key));
          const [row] = await database.write([[REMOVE[kind], [keys, usedBefore, values]]]);
          sum.count += Number(row?.['count']);
          sum.bytes += Number(row?.['bytes']);
        }
      }
      return sum;
    },
  };
}

function itemOf(kind: ItemKind, row: Row): Item {
  const key = (row['key'] as Buffer).toString('base64url');
  const value = kind === 'object' ? {} : { value: refIn(row) };
  const at = `${kind} ${key}`;
  return { kind, key, ...value, bytes: Number(row['bytes']), usedAt: Number(row['used_at']), at };
}

export function bytesOf(key: string): Buffer {
  return Buffer.from(key, 'base64url');
}

export function refIn(row: Row): string {
  return (row['ref'] as Buffer).toString('base64url');
}
