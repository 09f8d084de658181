/** A result store in a PostgreSQL database, for workers on many machines. */

import { createGroupedStore } from '../grouped-store.ts';
import type { NewEntry, OpenedStore } from '../inventory.ts';
import { missing } from '../lookup.ts';
import { forgotten } from '../names.ts';
import { refOfBytes } from '../refs.ts';
import { MAX_KEPT, StoreError } from '../store.ts';
import { openDatabase, type Database, type Statement } from './database.ts';
import { bytesOf, createPostgresInventory, refIn } from './inventory.ts';
import { createReads } from './reads.ts';
import { BIND, BOUND, keepRows, KEPT_UNDER, PIECE_BYTES, putRows, SETTINGS, TOUCH } from './tables.ts';

/** Larger entries are written by themselves, so that small ones do not wait for them. */
const LARGEST_IN_GROUP = 1_048_576;
/** Bytes of a statement. */
const STATEMENT_BYTES = 16_777_216;
const DIGEST_BYTES = 32;

/**
 * A store in the database of a URL, such as `postgres://app@db.example.org/planwright`; PGPASSWORD and ~/.pgpass have passwords.
 * Its three tables are made with the first write. Calls of one turn of the event loop are one transaction. It needs the package
 * `pg`.
 * @throws TypeError where this is no such URL
 * @example createWorker({ ...place, registry, store: createPostgresStore('postgres://app@db.example.org/planwright') });
 */
export function createPostgresStore(url: string): OpenedStore {
  const place = placeOf(url);
  const database = openDatabase(url, place);
  const piecesOf = createReads(database);
  const nameAt = async (key: string): Promise<string | undefined> => {
    const [row] = await database.read(BOUND, [bytesOf(key)]);
    if (row === undefined) return undefined;
    if ((row['ref'] as Buffer).length === DIGEST_BYTES) return refIn(row);
    throw new StoreError('corrupt', `The binding of ${key} in ${place} is no reference: the row was changed.`);
  };

  return createGroupedStore({
    place,
    largest: LARGEST_IN_GROUP,
    write: (group) => database.write(statementsOf(group)).then(() => undefined),

    async object(wanted, isWhole) {
      const pieces = await piecesOf(wanted);
      if (pieces.length === 0) throw new StoreError('not-found', missing(wanted, place));
      const bytes = pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces);
      if (isWhole(wanted, bytes)) return bytes;
      throw new StoreError('corrupt', changed(`result ${wanted}`, place));
    },

    nameAt,
    async bindAt(key, wanted) {
      const before = await nameAt(key);
      if (before !== undefined) return before;
      await database.write([[BIND, [bytesOf(key), bytesOf(wanted)]]]);
      const winner = await nameAt(key);
      if (winner === undefined) throw new StoreError('unreadable', forgotten(key, place));
      return winner;
    },

    async keptAt(key) {
      const rows = await database.read(KEPT_UNDER, [bytesOf(key), MAX_KEPT]);
      return rows.map((row) => {
        const bytes = row['bytes'] as Buffer;
        if (refOfBytes(bytes) === refIn(row)) return bytes;
        throw new StoreError('corrupt', changed(`a value kept under the name ${key}`, place));
      });
    },

    ...createPostgresInventory(database),

    async probe() {
      // Makes the tables where they are missing.
      await database.write([[TOUCH, []]]);
      await checkSettings(database, place);
    },
  });
}

/** Rows are in one order, so that two that write the same do not stand in each other's way for good. */
function statementsOf(group: readonly NewEntry[]): readonly Statement[] {
  return (['object', 'kept'] as const).flatMap((kind) => {
    const rows = new Map(group.flatMap((one) => (one.kind === kind ? rowsOf(one) : [])));
    const sorted = [...rows.keys()].toSorted().map((key) => rows.get(key)!);
    const textOf = kind === 'object' ? putRows : keepRows;
    return inTurn(sorted).map((some): Statement => [textOf(some.length), some.flat()]);
  });
}

type Entry = readonly [key: Buffer, second: Buffer | number, bytes: Uint8Array];

function rowsOf({ kind, key, bytes }: NewEntry): readonly (readonly [order: string, row: Entry])[] {
  const id = key.toString('hex');
  if (kind === 'kept') {
    const value = bytesOf(refOfBytes(bytes));
    return [[`${id} ${value.toString('hex')}`, [key, value, bytes]]];
  }
  const pieces = Math.max(1, Math.ceil(bytes.length / PIECE_BYTES));
  return Array.from({ length: pieces }, (_, piece) => [
    `${id} ${String(piece).padStart(6, '0')}`,
    [key, piece, bytes.subarray(piece * PIECE_BYTES, (piece + 1) * PIECE_BYTES)],
  ]);
}

/** A statement of large pieces has few of them: the protocol takes 1 GB, and the server holds it whole. */
function inTurn(rows: readonly Entry[]): readonly (readonly Entry[])[] {
  const turns: Entry[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  for (const row of rows) {
    if (bytes >= STATEMENT_BYTES) {
      turns.push([]);
      bytes = 0;
    }
    turns.at(-1)!.push(row);
    bytes += row[2].length;
  }
  return turns;
}

/**
 * Refuses a database that tells what is stored before it is on the disk: an effect that has begun could begin again after a power
 * cut.
 */
async function checkSettings(database: Database, place: string): Promise<void> {
  const [row] = await database.read(SETTINGS, []);
  const setting = ['commit', 'fsync'].find((name) => row?.[name] === 'off');
  if (setting === undefined) return;
  const name = setting === 'commit' ? 'synchronous_commit' : setting;
  const message = `The result store at ${place} tells that something is stored before it is on the disk: ${name} is off. Switch it on for this user and database.`;
  throw new StoreError('unwritable', message);
}

function changed(what: string, place: string): string {
  return `The row of ${what} in ${place} does not hold its bytes: it was changed after it was written. Delete the row and run again what made it, or restore it from a copy.`;
}

/** As people may read it: without the password, and the settings behind the question mark. */
function placeOf(url: string): string {
  const read = URL.canParse(url) ? new URL(url) : undefined;
  if (read === undefined || !/^postgres(?:ql)?:$/.test(read.protocol))
    throw new TypeError('the URL of a result store in PostgreSQL: expected postgres://user@host/database');
  const user = read.username === '' ? '' : `${decodeURIComponent(read.username)}@`;
  return `postgres://${user}${read.host}${read.pathname}`;
}
