/** The connections to a PostgreSQL database, its statements, and its errors in words. */

import type { Pool } from 'pg';
import { messageOf } from '../../plan/text/index.ts';
import { optional } from '../missing-package.ts';
import { storeFault, type Told } from '../store-fault.ts';
import { StoreError } from '../store.ts';
import { CREATE, TABLES_LOCK } from './tables.ts';

export type Value = Buffer | Uint8Array | string | number | readonly Buffer[];
export type Row = Readonly<Record<string, unknown>>;
export type Statement = readonly [text: string, values: readonly Value[]];

export interface Database {
  /** The rows that a statement gives. A table that is not there is empty. @throws StoreError `unreadable` */
  read(...statement: Statement): Promise<readonly Row[]>;
  /**
   * Carries out all of the statements or none, and gives the rows of the last; tables that are missing are made first.
   * @throws StoreError `unwritable`
   */
  write(statements: readonly Statement[]): Promise<readonly Row[]>;
}

/** Connections of one process at once. */
const CONNECTIONS = 10;
const CONNECT_MS = 10_000;
/** An answer that takes longer is given up; nobody knows whether the statement happened, and doing it again is harmless. */
const ANSWER_MS = 60_000;
const IDLE_MS = 10_000;
/** Of statements that the database ends because another one stands in their way. */
const MOST_TRIES = 5;

const NO_TABLE = '42P01';
/** Serialization failure, deadlock (PostgreSQL, appendix A). */
const IN_THE_WAY = ['40001', '40P01'];

/** Connects when it is first asked, and lets go of connections that nobody uses: there is nothing to close. */
export function openDatabase(url: string, place: string): Database {
  let opened: Promise<Pool> | undefined;
  const pool = () =>
    (opened ??= open(url).catch((error: unknown) => {
      opened = undefined;
      throw error;
    }));

  const fault = (what: 'unreadable' | 'unwritable', error: unknown): StoreError =>
    error instanceof StoreError ? error : storeFault(what, place, tell(error), error);

  const makeTables = async (): Promise<void> => {
    const client = await (await pool()).connect();
    let isWhole = false;
    try {
      await client.query('BEGIN');
      // Of several that make a table at once all but one would fail.
      await client.query('SELECT pg_advisory_xact_lock($1)', [TABLES_LOCK]);
      for (const statement of CREATE) await client.query(statement);
      await client.query('COMMIT');
      isWhole = true;
    } finally {
      client.release(!isWhole);
    }
  };

  const once = async (statements: readonly Statement[]): Promise<readonly Row[]> => {
    const [first, ...more] = statements;
    if (first === undefined) return [];
    // A statement alone is a transaction of its own.
    if (more.length === 0) return (await (await pool()).query<Row>(first[0], [...first[1]])).rows;
    const client = await (await pool()).connect();
    // A connection that breaks between two statements says so to nobody else.
    const unheard = () => undefined;
    client.on('error', unheard);
    let isWhole = false;
    try {
      await client.query('BEGIN');
      let rows: readonly Row[] = [];
      for (const [text, values] of statements) rows = (await client.query<Row>(text, [...values])).rows;
      await client.query('COMMIT');
      isWhole = true;
      return rows;
    } finally {
      client.off('error', unheard);
      // What an open transaction has done is undone with its connection.
      client.release(!isWhole);
    }
  };

  return {
    async read(text, values) {
      try {
        return (await (await pool()).query<Row>(text, [...values])).rows;
      } catch (error) {
        if (codeOf(error) === NO_TABLE) return [];
        throw fault('unreadable', error);
      }
    },
    async write(statements) {
      for (let nth = 1; ; nth += 1) {
        try {
          return await once(statements);
        } catch (error) {
          const code = codeOf(error);
          if (nth === MOST_TRIES || !(code === NO_TABLE || IN_THE_WAY.includes(code))) throw fault('unwritable', error);
          if (code !== NO_TABLE) continue;
          await makeTables().catch((problem: unknown) => {
            throw fault('unwritable', problem);
          });
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
  // A connection that breaks while nobody uses it is replaced by another.
  pool.on('error', () => undefined);
  return pool;
}

/** By the code of an error (PostgreSQL, appendix A), or the first two characters of it. */
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

function tell(error: unknown): Told {
  const code = codeOf(error);
  const message = messageOf(error) || code;
  const [, name, advice] = ADVICE.find(([pattern]) => pattern.test(code)) ?? [];
  if (name !== undefined && advice !== undefined) return { code: name, message, advice };
  if (/timeout/i.test(message)) return { code: 'TIMEOUT', message, advice: UNREACHED };
  if (/^E[A-Z]+$/.test(code)) return { code, message, advice: UNREACHED };
  if (/terminated|ended|closed/i.test(message)) return { code: 'UNAVAILABLE', message, advice: UNREACHED };
  return { code: code === '' ? 'POSTGRES' : `POSTGRES_${code}`, message, advice: 'The log of the server says more.' };
}

/** Several addresses that were tried in vain come as one error of many. */
function codeOf(error: unknown): string {
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
