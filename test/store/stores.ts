/** The kinds of stores that pass the same suite: how an empty one is made, and how any process opens it. */

import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  createFileStore,
  createPostgresStore,
  encryptedStore,
  createS3Store,
  s3Text,
  type Store,
} from '../../src/store/index.ts';
import { MINIO_USER, startMinio } from '../../scripts/servers/minio.mjs';
import { startPostgres } from '../../scripts/servers/postgres.mjs';

export interface StoreKind {
  /** @returns the text that names an empty store, and what takes it away */
  make(): Promise<{ readonly place: string; remove(): Promise<void> }>;
  /** Each call gives a store of its own, as another process would have it. */
  open(place: string): Store;
  /** For the environment of a process that opens it. */
  readonly env?: NodeJS.ProcessEnv;
  /** Makes everything there so many days old; absent where nobody but the server can. */
  readonly age?: (place: string, days: number) => Promise<void>;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;

export const FILES: StoreKind = {
  async make() {
    const folder = await mkdtemp(join(tmpdir(), 'planwright-store-'));
    return {
      place: join(folder, 'results'),
      remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
    };
  },
  open: createFileStore,
  async age(place, days) {
    const then = new Date(Date.now() - days * DAY_MS);
    for (const file of await readdir(place, { recursive: true, withFileTypes: true })) {
      // One that is being written gets its name meanwhile.
      if (!file.isFile() || file.parentPath.endsWith('.unfinished')) continue;
      // The store is in use: one that tells the time may be gone by now.
      await utimes(join(file.parentPath, file.name), then, then).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
    }
  },
  close: () => Promise.resolve(),
};

/** Stores of a kind with everything encrypted. */
export function encrypted(kind: StoreKind): StoreKind {
  const a = randomBytes(32).toString('base64');
  return {
    ...kind,
    open: (place) => encryptedStore(kind.open(place), { keys: { a }, current: 'a' }),
    env: { ...kind.env, ENCRYPTED_WITH: a },
  };
}

/** A server of its own, with a schema for each store. */
export async function postgresStores(): Promise<
  StoreKind & { readonly server: Awaited<ReturnType<typeof startPostgres>> }
> {
  const server = await startPostgres({ settings: ['max_connections=500'] });
  let schemas = 0;
  return {
    server,
    async make() {
      const schema = `store_${++schemas}`;
      await query(server.url, `CREATE SCHEMA ${schema}`);
      return {
        place: inSchema(server.url, schema),
        remove: async () => void (await query(server.url, `DROP SCHEMA ${schema} CASCADE`)),
      };
    },
    open: createPostgresStore,
    async age(place, days) {
      await query(place, `UPDATE planwright_entries SET at = at - interval '${days} days'`);
    },
    close: server.close,
  };
}

export function inSchema(url: string, schema: string): string {
  return `${url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;
}

/** What nobody but a person with access to the database does. */
export async function query(url: string, text: string, values: readonly unknown[] = []) {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await client.query<Record<string, unknown>>(text, [...values]);
  } finally {
    await client.end();
  }
}

/** A server of its own, with a folder of its bucket for each store. Its credentials stand in the environment from then on. */
export async function s3Stores(): Promise<StoreKind & { readonly server: Awaited<ReturnType<typeof startMinio>> }> {
  Object.assign(process.env, MINIO_USER);
  const server = await startMinio({ bucket: 'results' });
  let stores = 0;
  const at = (prefix: string) => ({ bucket: 'results', prefix, endpoint: server.endpoint });
  return {
    server,
    make: () => Promise.resolve({ place: s3Text(at(`store-${++stores}`)), remove: () => Promise.resolve() }),
    open: (place) => createS3Store(at(prefixOf(place))),
    close: server.close,
  };
}

function prefixOf(place: string): string {
  return new URL(place).pathname.slice(1);
}
