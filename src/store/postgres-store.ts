/** A store in a PostgreSQL database, for workers on many machines, with one row for each key. */

import { openDatabase, type Database, type DatabaseRow } from './postgres-database.ts';
import { checkKey, forgotten, StoreError, type Store } from './store.ts';

// Keys are compared byte by byte, since a listing in the order of a locale would skip keys.
const CREATE =
  'CREATE TABLE IF NOT EXISTS planwright_entries (key text COLLATE "C" PRIMARY KEY, bytes bytea NOT NULL, at timestamptz NOT NULL DEFAULT now())';
const GET = 'SELECT bytes FROM planwright_entries WHERE key = $1';
const PUT =
  'INSERT INTO planwright_entries (key, bytes) SELECT unnest($1::text[]), $2 ON CONFLICT DO NOTHING RETURNING key';
const LIST =
  'SELECT key, octet_length(bytes) AS bytes, extract(epoch FROM at) * 1000 AS at FROM planwright_entries WHERE key >= $1 AND key < $2 AND key > $3 ORDER BY key LIMIT $4';
const REMOVE = 'DELETE FROM planwright_entries WHERE key = ANY($1)';
const SETTINGS = "SELECT current_setting('synchronous_commit') AS commit, current_setting('fsync') AS fsync";

/** The number of rows that a listing fetches with its first query, and with each further one. */
const [FIRST_PAGE, PAGE] = [100, 5000];
const REMOVED_AT_ONCE = 1000;
const PROBE = 'probe/first';

/**
 * Creates a store in a PostgreSQL database. Passwords come from PGPASSWORD or ~/.pgpass. The first write creates the
 * table. Needs the package `pg`. A value has at most 1 GB. @throws TypeError if the URL is invalid
 * @example createWorker({ ...place, registry, store: createPostgresStore('postgres://app@db.example.org/planwright') });
 */
export function createPostgresStore(url: string): Store {
  const place = placeOf(url);
  const database = openDatabase(url, place, CREATE);
  const putUnder = async (keys: readonly string[], bytes: Uint8Array) => {
    const rows = await database.write(PUT, [keys.map(checkKey), Buffer.from(bytes)]);
    const put = new Set(rows.map(({ key }) => key));
    return keys.map((key) => put.has(key));
  };
  const store: Store = {
    place,
    async get(key) {
      const [row] = await database.read(GET, [checkKey(key)]);
      return row?.['bytes'] as Buffer | undefined;
    },
    async put(key, bytes) {
      const [isFree = false] = await putUnder([key], bytes);
      return isFree;
    },
    putUnder,
    async *list(prefix, after = '') {
      for (let last = after, size = FIRST_PAGE, isMore = true; isMore; size = PAGE) {
        const rows: readonly DatabaseRow[] = await database.read(LIST, [prefix, `${prefix}~`, last, size]);
        for (const { key, bytes, at } of rows)
          yield { key: (last = key as string), bytes: Number(bytes), at: Number(at) };
        isMore = rows.length === size;
      }
    },
    async remove(keys) {
      for (let from = 0; from < keys.length; from += REMOVED_AT_ONCE)
        await database.write(REMOVE, [keys.slice(from, from + REMOVED_AT_ONCE).map(checkKey)]);
    },
    async probe() {
      await store.put(PROBE, Buffer.from(PROBE));
      if ((await store.get(PROBE)) === undefined) throw forgotten(PROBE, place);
      await checkSettings(database, place);
    },
  };
  return store;
}

/** Rejects a database that confirms unsaved writes: after a power failure an effect could begin twice. */
async function checkSettings(database: Database, place: string): Promise<void> {
  const [row] = await database.read(SETTINGS, []);
  const setting = ['commit', 'fsync'].find((name) => row?.[name] === 'off');
  if (setting === undefined) return;
  const name = setting === 'commit' ? 'synchronous_commit' : setting;
  const message = `The result store at ${place} tells that something is stored before it is on the disk: ${name} is off. Switch it on for this user and database.`;
  throw new StoreError('unwritable', message);
}

/** The address of the store for people, without the password and the settings after the question mark. */
function placeOf(url: string): string {
  const read = URL.canParse(url) ? new URL(url) : undefined;
  if (read === undefined || !/^postgres(?:ql)?:$/.test(read.protocol))
    throw new TypeError('the URL of a result store in PostgreSQL: expected postgres://user@host/database');
  const user = read.username === '' ? '' : `${decodeURIComponent(read.username)}@`;
  return `postgres://${user}${read.host}${read.pathname}`;
}
