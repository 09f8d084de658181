/** The kinds of stores that pass the same suite: how an empty one is made, and how any process opens it. */

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  createFileStore,
  createPostgresStore,
  encryptedStore,
  createS3Store,
  s3Text,
  type OpenedStore,
} from '../../src/wire/results/index.ts';
import { MINIO_USER, startMinio } from '../../scripts/servers/minio.mjs';
import { startPostgres } from '../../scripts/servers/postgres.mjs';

export interface StoreKind {
  /** @returns the text that names an empty store, and what takes it away */
  make(): Promise<{ readonly place: string; remove(): Promise<void> }>;
  /** Each call gives a store of its own, as another process would have it. */
  open(place: string): OpenedStore;
  /** For the environment of a process that opens it. */
  readonly env?: NodeJS.ProcessEnv;
  close(): Promise<void>;
}

export const FILES: StoreKind = {
  async make() {
    const folder = await mkdtemp(join(tmpdir(), 'planwright-store-'));
    return {
      place: join(folder, 'results'),
      remove: () => rm(folder, { recursive: true, force: true, maxRetries: 5 }),
    };
  },
  open: createFileStore,
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
  const server = await startPostgres();
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
    open: (place) => createS3Store(at(new URL(place).pathname.slice(1))),
    close: server.close,
  };
}
