/** A database that is away, slow, full, read-only or changed: each thing in a clear word, nothing lost, nothing twice. */

import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createPostgresStore, resultsIn, type Store, type StoreError } from '../../src/store/index.ts';
import { faultIn } from '../../src/activities/failures.ts';
import { noPostgres } from '../../scripts/servers/postgres.mjs';
import { openWay, type Way } from '../faults/proxy.ts';
import { inSchema, postgresStores, query } from './stores.ts';

let stores: Awaited<ReturnType<typeof postgresStores>>;
let place: string;
let store: Store;
const bytes = Buffer.from('a result');
const KEY = 'runs/o/c/x';

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

test('its place has no password, and no setting that may hold one', () => {
  const named = createPostgresStore('postgres://app:hush@db.example.org:5433/plans?sslpassword=hush');
  expect(named.place).toBe('postgres://app@db.example.org:5433/plans');
  expect(() => createPostgresStore('http://app:hush@db')).toThrow(
    /^the URL .* expected postgres:\/\/user@host\/database$/,
  );
});

test('an empty database is an empty store, whose table is made by the first write, also of many at once', async () => {
  expect(await store.get(KEY)).toBeUndefined();
  for await (const one of store.list('')) expect(one).toBeUndefined();
  const others = Array.from({ length: 12 }, () => createPostgresStore(place));
  expect((await Promise.all(others.map((one) => one.put(KEY, bytes)))).filter(Boolean)).toHaveLength(1);
  await store.probe?.();
});

test('keys are told apart and put in order by their bytes, whatever the locale of the database is', async () => {
  const keys = ['a-b', 'a/b', 'a0', 'a_b', 'ab'].map((key) => `runs/${key}`);
  for (const key of keys) await store.put(key, bytes);
  const told: string[] = [];
  for await (const { key } of store.list('runs/a')) told.push(key);
  expect(told).toEqual(keys);
});

test.each([
  ['flipped', 'bytes = set_byte(bytes, 2, 0)'],
  ['cut', 'bytes = substring(bytes for 3)'],
  ['emptied', "bytes = ''"],
])('bytes that somebody has %s are told', async (_how, what) => {
  const results = resultsIn(store, 'runs/o/c');
  const ref = await results.put(bytes);
  await results.enter('root/done', bytes);
  await query(place, `UPDATE planwright_entries SET ${what}`);
  expect(await failed(results.get(ref))).toMatchObject({ code: 'corrupt' });
  expect(await failed(results.entry('root/done'))).toMatchObject({ code: 'corrupt' });
});

describe('a fault, which a run waits out', () => {
  const isAway = (error: StoreError, code: string, of: RegExp) => {
    expect(['unreadable', 'unwritable']).toContain(error.code);
    expect(faultIn(error)).toBe(`the store: ${of.exec(faultIn(error) ?? '')?.[0] ?? of.source}`);
    expect(error.message).toContain(store.place.replace(/^.*@/, ''));
    expect(error.code).toBe(code);
  };

  test('a server that goes away and comes back', async () => {
    await store.put(KEY, bytes);
    await stores.server.stop('SIGQUIT');
    isAway(await failed(store.put('runs/another', bytes)), 'unwritable', /UNAVAILABLE|ECONNREFUSED|ECONNRESET/);
    isAway(await failed(store.get(KEY)), 'unreadable', /UNAVAILABLE|ECONNREFUSED|ECONNRESET/);
    await stores.server.start();
    expect(await store.get(KEY)).toEqual(bytes);
    expect(await store.put('runs/another', bytes)).toBe(true);
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
      await through.put(KEY, bytes);
      const many = Array.from({ length: 300 }, (_, n) => `runs/many/${n}`);
      let told = 0;
      const writes = many.map(async (key, n) => {
        if (n === 100) cut(way);
        await through.put(key, Buffer.from(key));
        told += 1;
      });
      const ended = await Promise.allSettled(writes);
      const failures = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason as StoreError] : []));
      expect(failures.length).toBeGreaterThan(0);
      for (const error of failures) expect(faultIn(error)).toMatch(/^the store: (UNAVAILABLE|ECONNRESET|EPIPE)$/);
      for (const [n, key] of many.entries()) {
        if (ended[n]?.status !== 'fulfilled') await through.put(key, Buffer.from(key));
        expect(await store.get(key)).toEqual(Buffer.from(key));
      }
      expect(told).toBe(many.length - failures.length);
    },
  );

  test('an answer that is slow is waited for', async () => {
    const way = await openWay(new URL(place).host);
    onTestFinished(() => way.close());
    const through = createPostgresStore(place.replace(new URL(place).host, way.address));
    way.delay(50);
    expect(await through.put(KEY, bytes)).toBe(true);
    expect(await through.get(KEY)).toEqual(bytes);
  });

  test('a database that takes no writes is read', async () => {
    await store.put(KEY, bytes);
    const standby = createPostgresStore(withSetting('default_transaction_read_only=on'));
    isAway(await failed(standby.put('runs/another', bytes)), 'unwritable', /READ_ONLY/);
    isAway(await failed(standby.probe!()), 'unwritable', /READ_ONLY/);
    expect(await standby.get(KEY)).toEqual(bytes);
  });

  test.each([
    ['no such database', () => stores.server.url.replace(/\/postgres$/, '/nothing'), 'NO_DATABASE', 'createdb'],
    ['no such user', () => stores.server.url.replace('postgres@', 'nobody@'), 'ACCESS_DENIED', 'PGPASSWORD'],
    ['no such schema', () => inSchema(stores.server.url, 'nothing'), 'NO_SCHEMA', 'search_path'],
    ['nobody at the address', () => 'postgres://app:hush@127.0.0.1:1/plans', 'ECONNREFUSED', 'may reach it'],
  ])('%s', async (_what, url, code, advice) => {
    const error = await failed(createPostgresStore(url()).put(KEY, bytes));
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
