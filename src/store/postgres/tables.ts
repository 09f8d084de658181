/**
 * The tables of a store in PostgreSQL, and its statements. Long objects stand in several rows: a row has less than 1 GB, and a
 * reader would hold it twice.
 */

import { RENEW_MS } from '../inventory.ts';

/** Bytes of a row. */
export const PIECE_BYTES = 8_388_608;
/** Bytes of an object that is read together with others. */
const SMALL_BYTES = 65_536;
/** Any number: nobody else in the database locks it. */
export const TABLES_LOCK = 7_092_446_115;

const OBJECTS = 'planwright_objects';
const NAMES = 'planwright_names';
const KEPT = 'planwright_kept';

export const CREATE: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS ${OBJECTS} (
    ref bytea NOT NULL, piece integer NOT NULL, bytes bytea NOT NULL, used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (ref, piece))`,
  `CREATE TABLE IF NOT EXISTS ${NAMES} (
    key bytea PRIMARY KEY, ref bytea NOT NULL, used_at timestamptz NOT NULL DEFAULT now())`,
  `CREATE TABLE IF NOT EXISTS ${KEPT} (
    key bytea NOT NULL, ref bytea NOT NULL, bytes bytea NOT NULL, used_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (key, ref))`,
];

/**
 * Writes rows in one statement. A row that is there has its time renewed if that is old, and is mended if it was changed: both
 * lock the row, and a removal that comes at the same moment looks at it again.
 */
function upsert(table: string, first: string, second: string, rows: number): string {
  const values = Array.from({ length: rows }, (_, row) => `($${3 * row + 1}, $${3 * row + 2}, $${3 * row + 3})`);
  return `INSERT INTO ${table} AS old (${first}, ${second}, bytes) VALUES ${values.join(', ')}
    ON CONFLICT (${first}, ${second}) DO UPDATE SET bytes = EXCLUDED.bytes, used_at = now()
    WHERE old.used_at < now() - interval '${RENEW_MS} milliseconds' OR old.bytes <> EXCLUDED.bytes`;
}

export const putRows = (rows: number) => upsert(OBJECTS, 'ref', 'piece', rows);
export const keepRows = (rows: number) => upsert(KEPT, 'key', 'ref', rows);

export const GET = `SELECT bytes FROM ${OBJECTS} WHERE ref = $1 ORDER BY piece`;
/** Of many objects those that are small; nothing for the bytes of others. */
export const GET_SMALL = `SELECT ref, CASE WHEN length(bytes) <= ${SMALL_BYTES} THEN bytes END AS bytes
  FROM ${OBJECTS} WHERE ref = ANY ($1::bytea[]) AND piece = 0`;
export const BIND = `INSERT INTO ${NAMES} (key, ref) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING`;
export const BOUND = `SELECT ref FROM ${NAMES} WHERE key = $1`;
export const KEPT_UNDER = `SELECT ref, bytes FROM ${KEPT} WHERE key = $1 LIMIT $2::int`;

const MS = 'EXTRACT(EPOCH FROM used_at)::float8 * 1000 AS used_at';

/** A page of each table behind its last key; `bytes` is their number. */
export const LIST = {
  object: `SELECT ref AS key, sum(length(bytes))::float8 AS bytes, min(EXTRACT(EPOCH FROM used_at))::float8 * 1000 AS used_at
    FROM ${OBJECTS} WHERE ref > $1 GROUP BY ref ORDER BY ref LIMIT $2::int`,
  name: `SELECT key, ref, 32::float8 AS bytes, ${MS} FROM ${NAMES} WHERE key > $1 ORDER BY key LIMIT $2::int`,
  kept: `SELECT key, ref, length(bytes)::float8 AS bytes, ${MS}
    FROM ${KEPT} WHERE (key, ref) > ($1, $3) ORDER BY key, ref LIMIT $2::int`,
} as const;

/** Rows are locked in one order, as those who write do it. `$1` and `$3` are keys, `$2` the time before which a row must be stored. */
function removal(table: string, order: string, match: string, counts: string): string {
  return `WITH doomed AS (
      SELECT ctid FROM ${table} WHERE ${match} AND used_at < to_timestamp($2::float8 / 1000) ORDER BY ${order} FOR UPDATE),
    gone AS (DELETE FROM ${table} WHERE ctid = ANY (ARRAY(SELECT ctid FROM doomed)) RETURNING ${counts})
    SELECT coalesce(sum(count), 0)::float8 AS count, coalesce(sum(bytes), 0)::float8 AS bytes FROM gone`;
}

const PAIRS = '(SELECT * FROM unnest($1::bytea[], $3::bytea[]))';
export const REMOVE = {
  // A parameter must be used.
  object: removal(
    OBJECTS,
    'ref, piece',
    'ref = ANY ($1::bytea[] || $3::bytea[])',
    '(piece = 0)::int AS count, length(bytes) AS bytes',
  ),
  name: removal(NAMES, 'key', `(key, ref) IN ${PAIRS}`, '1 AS count, 32 AS bytes'),
  kept: removal(KEPT, 'key, ref', `(key, ref) IN ${PAIRS}`, '1 AS count, length(bytes) AS bytes'),
} as const;

/** Writes nothing, and needs what writing does. */
export const TOUCH = `UPDATE ${NAMES} SET ref = ref WHERE key = ''`;

/** Two settings under which what the database has told as stored may be lost, or nothing can be stored. */
export const SETTINGS = `SELECT current_setting('synchronous_commit') AS commit, current_setting('fsync') AS fsync`;
