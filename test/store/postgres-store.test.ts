/** A database that is away, slow, full, read-only or changed: each thing in a clear word, nothing lost, nothing twice. */

import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createPostgresStore, type StoreError, type OpenedStore } from '../../src/store/index.ts';
import { PIECE_BYTES } from '../../src/store/postgres/tables.ts';
import { refOfBytes } from '../../src/store/refs.ts';
import { faultIn } from '../../src/activities/faults.ts';
import { noPostgres } from '../../scripts/servers/postgres.mjs';
import { openWay, type Way } from '../faults/proxy.ts';
import { inSchema, postgresStores, query } from './stores.ts';

let stores: Awaited<ReturnType<typeof postgresStores>>;
let place: string;
let store: OpenedStore;
const bytes = Buffer.from('a result');
const ref = refOfBytes(bytes);

beforeAll(async () => {
  if (noPostgres() === '') stores = await postgresStores();
});
afterAll(() => stores?.close());
beforeEach(async ({ skip, onTestFinished: atEnd }) => {
  skip(noPostgres() !== '', noPostgres());
  const made = await stores.make();
  atEnd(() => made.remove());
  place = made.place;
  store = createPostgresStore(place);
});

const failed = (work: Promise<unknown>) =>
  work.then(
    () => Promise.reject(new Error('it did not fail')),
    (error: unknown) => error as StoreError,
  );
const change = (table: string, what: string) => query(place, `UPDATE planwright_${table} SET ${what}`);

test('its place has no password, and no setting that may hold one', () => {
  const named = createPostgresStore('postgres://app:hush@db.example.org:5433/plans?sslpassword=hush');
  expect(named.place).toBe('postgres://app@db.example.org:5433/plans');
  expect(() => createPostgresStore('http://app:hush@db')).toThrow(
    /^the URL .* expected postgres:\/\/user@host\/database$/,
  );
});

test('an empty database is an empty store, whose tables are made by the first write, also of many at once', async () => {
  expect(await failed(store.get(ref))).toMatchObject({ code: 'not-found' });
  expect(await store.bound('name')).toBeUndefined();
  expect(await store.kept('name')).toEqual([]);
  const others = Array.from({ length: 12 }, () => createPostgresStore(place));
  expect(new Set(await Promise.all(others.map((one) => one.put(bytes))))).toEqual(new Set([ref]));
  await store.probe?.();
});

test('a long object stands in several rows, and is one', async () => {
  const long = Buffer.alloc(2 * PIECE_BYTES + 17, 'planwright ');
  const key = await store.put(long);
  expect(Buffer.from(await createPostgresStore(place).get(key)).equals(long)).toBe(true);
  const { rows } = await query(place, 'SELECT count(*)::int AS rows FROM planwright_objects');
  expect(rows).toEqual([{ rows: 3 }]);
  await query(place, 'DELETE FROM planwright_objects WHERE piece = 1');
  expect(await failed(store.get(key))).toMatchObject({ code: 'corrupt' });
  await store.put(long);
  expect((await store.get(key)).length).toBe(long.length);
  expect((await stores.age(place)) > 0).toBe(true);
  const items = [];
  for await (const item of store.inventory.items()) items.push(item);
  expect(items).toMatchObject([{ kind: 'object', key, bytes: long.length }]);
  expect(await store.inventory.remove(items, Date.now())).toEqual({ count: 1, bytes: long.length });
});

test('many that are asked for at once are each given out, the small ones together and a large one by itself', async () => {
  const all = Array.from({ length: 250 }, (_, n) => Buffer.alloc(n % 50 === 7 ? 65_537 : n, `result ${n} `));
  const keys = await Promise.all(all.map((one) => store.put(one)));
  await query(place, 'UPDATE planwright_objects SET bytes = $1 WHERE ref = $2', [
    bytes,
    Buffer.from(keys[3]!, 'base64url'),
  ]);
  const reader = createPostgresStore(place);
  const wanted = [...keys, ref, keys[9]!];
  const given = await Promise.all(wanted.map((one) => reader.get(one).catch((error: StoreError) => error.code)));
  expect(given).toHaveLength(252);
  expect([given[3], given[250]]).toEqual(['corrupt', 'not-found']);
  const whole = given.filter((one) => typeof one !== 'string');
  expect(whole.map(refOfBytes)).toEqual(wanted.filter((_, at) => at !== 3 && at !== 250));
  expect(given[9]).not.toBe(given[251]);
});

test.each([
  ['flipped', 'bytes = set_byte(bytes, 2, 0)'],
  ['cut', 'bytes = substring(bytes for 3)'],
  ['emptied', "bytes = ''"],
])('bytes that somebody has %s are told, and mended by who has them', async (_how, what) => {
  await store.put(bytes);
  await store.keep('name', bytes);
  await change('objects', what);
  await change('kept', what);
  const error = await failed(store.get(ref));
  expect(error).toMatchObject({ code: 'corrupt' });
  expect(error.message).toContain(ref);
  expect(await failed(store.kept('name'))).toMatchObject({ code: 'corrupt' });
  await createPostgresStore(place).put(bytes);
  await createPostgresStore(place).keep('name', bytes);
  expect(Buffer.from(await store.get(ref))).toEqual(bytes);
  expect(await store.kept('name')).toHaveLength(1);
});

test('a name that somebody has changed is told', async () => {
  await store.bind('name', ref);
  await change('names', "ref = ''");
  expect(await failed(store.bound('name'))).toMatchObject({ code: 'corrupt' });
});

describe('a fault, which a run waits out', () => {
  const isAway = (error: StoreError, code: string, of: RegExp) => {
    expect(['unreadable', 'unwritable']).toContain(error.code);
    expect(faultIn(error)).toBe(`the store: ${of.exec(faultIn(error) ?? '')?.[0] ?? of.source}`);
    expect(error.message).toContain(store.place.replace(/^.*@/, ''));
    expect(error.code).toBe(code);
  };

  test('a server that goes away and comes back', async () => {
    await store.put(bytes);
    await stores.server.stop('SIGQUIT');
    isAway(await failed(store.put(Buffer.from('another'))), 'unwritable', /UNAVAILABLE|ECONNREFUSED|ECONNRESET/);
    isAway(await failed(store.get(ref)), 'unreadable', /UNAVAILABLE|ECONNREFUSED|ECONNRESET/);
    isAway(await failed(store.bind('name', ref)), 'unreadable', /ECONNREFUSED/);
    await stores.server.start();
    expect(Buffer.from(await store.get(ref))).toEqual(bytes);
    expect(await store.bind('name', await store.put(Buffer.from('another')))).toBe(refOfBytes(Buffer.from('another')));
  });

  test.each<[name: string, cut: (way: Way) => void]>([
    ['cut', (way) => way.cut()],
    ['reset', (way) => way.reset()],
  ])(
    'a connection that is %s in mid-write: what was told is there, and the rest can be done again',
    async (_name, cut) => {
      const way = await openWay(new URL(place).host);
      onTestFinished(() => way.close());
      const through = createPostgresStore(place.replace(new URL(place).host, way.address));
      await through.put(bytes);
      const many = Array.from({ length: 300 }, (_, n) => Buffer.from(`one of many ${n}`));
      let told = 0;
      const writes = many.map(async (one, n) => {
        if (n === 100) cut(way);
        await through.put(one);
        await through.bind(`name ${n % 7}`, refOfBytes(one));
        told += 1;
        return n;
      });
      const ended = await Promise.allSettled(writes);
      const failures = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as StoreError] : []));
      expect(failures.length).toBeGreaterThan(0);
      for (const error of failures) expect(faultIn(error)).toMatch(/^the store: (UNAVAILABLE|ECONNRESET|EPIPE)$/);
      for (const [n, one] of many.entries()) {
        if (ended[n]?.status !== 'fulfilled') await through.put(one);
        expect(Buffer.from(await store.get(refOfBytes(one)))).toEqual(one);
      }
      expect(told).toBe(many.length - failures.length);
    },
  );

  test('an answer that is slow is waited for', async () => {
    const way = await openWay(new URL(place).host);
    onTestFinished(() => way.close());
    const through = createPostgresStore(place.replace(new URL(place).host, way.address));
    way.delay(50);
    expect(await through.bind('name', await through.put(bytes))).toBe(ref);
  });

  test('a database that takes no writes is read', async () => {
    await store.put(bytes);
    const standby = createPostgresStore(withSetting('default_transaction_read_only=on'));
    isAway(await failed(standby.put(Buffer.from('another'))), 'unwritable', /READ_ONLY/);
    isAway(await failed(standby.probe!()), 'unwritable', /READ_ONLY/);
    expect(Buffer.from(await standby.get(ref))).toEqual(bytes);
  });

  test.each([
    ['no such database', () => stores.server.url.replace(/\/postgres$/, '/nothing'), 'NO_DATABASE', 'createdb'],
    ['no such user', () => stores.server.url.replace('postgres@', 'nobody@'), 'ACCESS_DENIED', 'PGPASSWORD'],
    ['no such schema', () => inSchema(stores.server.url, 'nothing'), 'NO_SCHEMA', 'search_path'],
    ['nobody at the address', () => 'postgres://app:hush@127.0.0.1:1/plans', 'ECONNREFUSED', 'may reach it'],
  ])('%s', async (_what, url, code, advice) => {
    const error = await failed(createPostgresStore(url()).put(bytes));
    expect(faultIn(error)).toBe(`the store: ${code}`);
    expect(error.message).toContain(advice);
    expect(error.message).not.toContain('hush');
  });
});

test('PostgreSQL: synchronous_commit or fsync off is refused at start, as it tells what is stored before it is on the disk', async () => {
  const unsafe = await failed(createPostgresStore(withSetting('synchronous_commit=off')).probe!());
  expect(unsafe).toMatchObject({ code: 'unwritable' });
  expect(unsafe.message).toContain('synchronous_commit is off');
  try {
    await query(place, 'ALTER SYSTEM SET fsync = off');
    await query(place, 'SELECT pg_reload_conf()');
    const told = () =>
      store.probe!().then(
        () => '',
        (error: StoreError) => error.message,
      );
    await expect.poll(told).toContain('fsync is off');
  } finally {
    await query(place, 'ALTER SYSTEM RESET ALL');
    await query(place, 'SELECT pg_reload_conf()');
  }
});

/** Options are the last setting of its URL. */
function withSetting(setting: string): string {
  return `${place}${encodeURIComponent(` -c ${setting}`)}`;
}
