/** `store check`, `du` and `copy`: a store is measured, read whole and copied to one of another kind. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { checkStore, copyStore, measureStore } from '../../../src/operations/upkeep/index.ts';
import { createFileStore, type OpenedStore } from '../../../src/store/index.ts';
import { refOfBytes } from '../../../src/store/refs.ts';
import { noPostgres } from '../../../scripts/servers/postgres.mjs';
import { runInProcess } from '../../cli/in-process.ts';
import { postgresStores } from '../../store/stores.ts';

let store: OpenedStore;

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'planwright-whole-'));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return join(made, 'results');
}

const things = (many: number) => Array.from({ length: many }, (_, n) => Buffer.from(`thing ${n}`));
const damage = (one: OpenedStore, ref: string) =>
  writeFile(join(one.place, 'objects', ref.slice(0, 2), ref), 'something else');

/** Ten objects one by one, as files; twenty at once, in a segment; values, and a name. */
beforeEach(async () => {
  store = createFileStore(await folder());
  for (const one of things(10)) await store.put(one);
  await Promise.all(things(30).map((one) => store.put(one)));
  for (const value of ['one', 'other']) await store.keep('kept', Buffer.from(value));
  await store.bind('name', refOfBytes(Buffer.from('thing 3')));
});

describe('check', () => {
  test('finds a store whole, and says how much it has, as du does', async () => {
    const checked = await checkStore(store);
    expect(checked).toMatchObject({ problems: [], problemCount: 0 });
    expect(checked.amounts).toEqual(await measureStore(store));
    expect(checked.amounts).toMatchObject({ kept: { count: 2, bytes: 8 }, name: { count: 1 } });
    expect(checked.amounts.object.count).toBeGreaterThanOrEqual(30);
  });

  test('names what is changed, and a name that leads to nothing, and reads the rest', async () => {
    const changed = await store.put(Buffer.from('by itself'));
    await damage(store, changed);
    await store.bind('lost', refOfBytes(Buffer.from('never stored')));
    const { problems, problemCount } = await checkStore(store);
    expect(problemCount).toBe(2);
    expect(problems.join('\n')).toContain(changed);
    expect(problems.join('\n')).toMatch(/The name \S+ leads to an object that is not there/);
  });

  test('of 101 problems names 100, and counts them', async () => {
    const crowd = Array.from({ length: 101 }, (_, n) => Buffer.from(`damaged ${n}`));
    for (const one of crowd) {
      await store.put(one);
      await damage(store, refOfBytes(one));
    }
    const { problems, problemCount } = await checkStore(store);
    expect([problems.length, problemCount]).toEqual([100, 101]);
  });

  test('tries what the store promises', async () => {
    const probe = () => Promise.reject(new Error('two may have one name'));
    await expect(checkStore({ ...store, probe })).rejects.toThrow('two may have one name');
  });
});

describe('copy', () => {
  async function isIn(other: OpenedStore): Promise<void> {
    for (const one of things(30)) expect(Buffer.from(await other.get(refOfBytes(one)))).toEqual(one);
    expect((await other.kept('kept')).map((one) => Buffer.from(one).toString()).toSorted()).toEqual(['one', 'other']);
    expect(await other.bound('name')).toBe(refOfBytes(Buffer.from('thing 3')));
    expect((await checkStore(other)).problems).toEqual([]);
  }

  test('has everything, leaves what is there, and is typed again where it was interrupted', async () => {
    const other = createFileStore(await folder());
    await other.put(Buffer.from('was there'));
    const stop = new AbortController();
    let puts = 0;
    const stopping: OpenedStore = {
      ...other,
      put: (bytes) => (++puts === 12 && stop.abort(new Error('Ctrl-C')), other.put(bytes)),
    };
    await expect(copyStore(store, stopping, undefined, stop.signal)).rejects.toThrow('Ctrl-C');
    expect(await other.bound('name')).toBeUndefined();
    const copied = await copyStore(store, other);
    expect(copied).toMatchObject({ problems: [], amounts: { object: { count: 30 }, kept: { count: 2 } } });
    await isIn(other);
    expect(Buffer.from(await other.get(refOfBytes(Buffer.from('was there')))).toString()).toBe('was there');
    await isIn(createFileStore(other.place));
  });

  test.skipIf(noPostgres() !== '')('goes to a database, and from there to a folder', async () => {
    const kind = await postgresStores();
    onTestFinished(kind.close);
    const database = kind.open((await kind.make()).place);
    expect((await copyStore(store, database)).problems).toEqual([]);
    await isIn(database);
    const second = kind.open((await kind.make()).place);
    expect(second.place).toBe(database.place);
    expect((await copyStore(database, second)).problems).toEqual([]);
    await isIn(second);
    const back = createFileStore(await folder());
    expect((await copyStore(database, back)).problems).toEqual([]);
    await isIn(back);
  });

  test('tells what it could not copy, and a name that is bound otherwise there, which stays', async () => {
    const other = createFileStore(await folder());
    const [own, changed] = [await other.put(Buffer.from('own')), refOfBytes(Buffer.from('thing 5'))];
    await other.bind('name', own);
    const whole = store;
    const damaged: OpenedStore = createFileStore(await folder());
    for (const one of things(10)) await damaged.put(one);
    await damage(damaged, changed);
    expect((await copyStore(damaged, other)).problems).toEqual([expect.stringContaining(changed)]);
    expect((await copyStore(whole, other)).problems).toEqual([expect.stringMatching(/^The name \S+ is bound to/)]);
    expect(await other.bound('name')).toBe(own);
  });

  test('to itself is refused', async () => {
    await expect(copyStore(store, createFileStore(store.place))).rejects.toThrow('is both; name another store');
  });
});

test('the commands say it in words and as JSON, and exit with 1 where something is wrong', async () => {
  const type = (args: readonly string[]) => runInProcess(args, { env: { ...process.env }, cwd: tmpdir(), stdin: '' });
  const du = await type(['store', 'du', '--store', store.place]);
  expect(du.code).toBe(0);
  expect(du.stdout).toMatch(/kept\s+2\s+8$/m);
  const to = await folder();
  const copied = await type(['store', 'copy', store.place, to, '-o', 'json']);
  expect(JSON.parse(copied.stdout)).toMatchObject({ ok: true, to, problems: [] });
  const whole = await type(['store', 'check', '--store', to]);
  expect([whole.code, whole.stdout]).toEqual([0, expect.stringMatching(/^problems\s+none$/m)]);
  // A copy of more than a few objects stands in a segment; one by itself in a file.
  await createFileStore(to).put(Buffer.from('by itself'));
  const one = refOfBytes(Buffer.from('by itself'));
  await damage(createFileStore(to), one);
  const broken = await type(['store', 'check', '--store', to, '-o', 'json']);
  expect(broken.code).toBe(1);
  expect(JSON.parse(broken.stdout)).toMatchObject({
    ok: false,
    problemCount: 1,
    problems: [expect.stringContaining(one)],
  });
});
