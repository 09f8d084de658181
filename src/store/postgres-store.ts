/** A store in a PostgreSQL database, for workers on many machines, with one row for each key. */

import { checkKey, forgotten, StoreError, type Store, optional, storeFault, type ExplainedError } from './store.ts';
import type { Pool } from 'pg';
import { messageOf } from '../plan/text/index.ts';

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

/** Number of rows that a listing fetches with its first query, and with each further query. */
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

/** Rejects a database that confirms writes before they are saved. After a power failure an effect could begin twice. */
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

type DatabaseRow = Readonly<Record<string, unknown>>;

interface Database {
  /**
   * Runs a statement that reads and returns rows. A missing table is empty.
   * @throws StoreError `unreadable`
   */
  read(text: string, values: readonly unknown[]): Promise<readonly DatabaseRow[]>;
  /** Runs a statement that writes. First creates the table if it is missing. @throws StoreError `unwritable` */
  write(text: string, values: readonly unknown[]): Promise<readonly DatabaseRow[]>;
}

const CONNECTIONS = 10;
const CONNECT_MS = 10_000;
/**
 * Time limit for a statement in ms. The server may still execute the statement afterwards; executing it twice is
 * harmless.
 */
const ANSWER_MS = 60_000;
const IDLE_MS = 10_000;
const MAX_TRIES = 5;

const NO_TABLE = '42P01';
/** Error codes for a serialization failure and a deadlock (PostgreSQL, appendix A). */
const IN_THE_WAY = ['40001', '40P01'];

/**
 * Connects on first use and drops idle connections.
 * @param create the statement that creates the table
 */
function openDatabase(url: string, place: string, create: string): Database {
  let opened: Promise<Pool> | undefined;
  const pool = () =>
    (opened ??= open(url).catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));
  const ask = async (text: string, values: readonly unknown[]) =>
    (await (await pool()).query<DatabaseRow>(text, [...values])).rows;
  const fault = (what: 'unreadable' | 'unwritable', error: unknown): StoreError =>
    error instanceof StoreError ? error : storeFault(what, place, explainPostgresError(error), error);

  return {
    async read(text, values) {
      try {
        return await ask(text, values);
      } catch (error) {
        if (codeOf(error) === NO_TABLE) return [];
        throw fault('unreadable', error);
      }
    },
    async write(text, values) {
      for (let nth = 1; ; nth += 1) {
        try {
          return await ask(text, values);
        } catch (error) {
          const code = codeOf(error);
          if (nth === MAX_TRIES || !(code === NO_TABLE || IN_THE_WAY.includes(code))) throw fault('unwritable', error);
          // If several processes create the table at the same time, all but one may fail, but the table then exists.
          if (code === NO_TABLE)
            await ask(create, []).catch((problem: unknown) =>
              nth > 1 ? Promise.reject(fault('unwritable', problem)) : [],
            );
        }
      }
    },
  };
}

async function open(connectionString: string): Promise<Pool> {
  const { default: pg } = await optional('pg', 'A result store in PostgreSQL', () => import('pg'));
  const pool = new pg.Pool({
    connectionString,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: ANSWER_MS,
    idleTimeoutMillis: IDLE_MS,
    keepAlive: true,
    allowExitOnIdle: true,
    application_name: 'planwright',
  });
  // The pool replaces a broken idle connection, so its error is ignored.
  pool.on('error', () => undefined);
  return pool;
}

/** Advice by error code or by its first two characters (PostgreSQL, appendix A). */
const ADVICE: readonly (readonly [code: RegExp, name: string, advice: string])[] = [
  [/^28/, 'ACCESS_DENIED', 'Check user and password of its URL, or PGUSER and PGPASSWORD of the environment.'],
  [/^3D000/, 'NO_DATABASE', 'Make the database first (createdb), or name another one.'],
  [/^3F000/, 'NO_SCHEMA', 'Make the schema of its search_path first, or name another one.'],
  [/^42501/, 'ACCESS_DENIED', 'Its user needs to create tables there, or to read and write those that are there.'],
  [/^25006/, 'READ_ONLY', 'It takes no writes, as a standby does: name the server that does.'],
  [/^53100/, 'DISK_FULL', 'The disk of the server is full: make room.'],
  [/^53300/, 'TOO_MANY_CONNECTIONS', `Each process has up to ${CONNECTIONS} connections: raise max_connections.`],
  [/^57P0|^08/, 'UNAVAILABLE', 'Start the server again; what was stored is there.'],
];
const UNREACHED = 'Check that the server runs at this address, and that this machine may reach it.';

function explainPostgresError(error: unknown): ExplainedError {
  const code = codeOf(error);
  const message = messageOf(error) || code;
  const [, name, advice] = ADVICE.find(([pattern]) => pattern.test(code)) ?? [];
  if (name !== undefined && advice !== undefined) return { code: name, message, advice };
  if (/timeout/i.test(message)) return { code: 'TIMEOUT', message, advice: UNREACHED };
  if (/^E[A-Z]+$/.test(code)) return { code, message, advice: UNREACHED };
  if (/terminated|ended|closed/i.test(message)) return { code: 'UNAVAILABLE', message, advice: UNREACHED };
  return { code: code === '' ? 'POSTGRES' : `POSTGRES_${code}`, message, advice: 'The log of the server says more.' };
}

/** The error code. If several addresses fail, the driver throws one error that contains all errors. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
