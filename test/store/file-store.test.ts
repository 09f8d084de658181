/** A directory that does not do what it should, and what killed writes leave in it. */

import { chmod, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { createFileStore, digestOfRef, openStore, refOfBytes, refOfDigest } from '../../src/store/index.ts';
import { testFolder } from '../support/folders.ts';

let place: string;
beforeEach(async () => {
  const folder = testFolder('store');
  place = join(folder, 'results');
});
const bytes = Buffer.from('bytes');
const DAY_MS = 86_400_000;

test('a key is a path, and its file has just the bytes', async () => {
  await createFileStore(place).put('runs/a/b', bytes);
  expect(await readFile(join(place, 'runs/a/b'))).toEqual(bytes);
  expect(createFileStore('relative').place).toBe(join(process.cwd(), 'relative'));
});

test('many writers of one key at once leave one file, and nothing unfinished', async () => {
  const won = await Promise.all(Array.from({ length: 50 }, () => createFileStore(place).put('runs/a/b', bytes)));
  expect(won.filter(Boolean)).toHaveLength(1);
  expect(await readdir(join(place, 'runs/a'))).toEqual(['b']);
  expect(await readdir(join(place, '.unfinished'))).toEqual([]);
});

test('what killed writes left is never a key, and is removed after a day, and nothing else is', async () => {
  const unfinished = join(place, '.unfinished');
  await mkdir(unfinished, { recursive: true });
  for (const [name, days] of [
    ['old', 2],
    ['new', 0],
  ] as const) {
    await writeFile(join(unfinished, name), 'half');
    const then = new Date(Date.now() - days * DAY_MS);
    await utimes(join(unfinished, name), then, then);
  }
  const store = createFileStore(place);
  await store.put('runs/a/b', bytes);
  expect(await readdir(unfinished)).toEqual(['new']);
  const keys: string[] = [];
  for await (const { key } of store.list('')) keys.push(key);
  expect(keys).toEqual(['runs/a/b']);
});

test('folders go with what was in them, and are made again by who puts something there in that moment', async () => {
  const store = createFileStore(place);
  await store.put('runs/a/b/c', bytes);
  await store.remove(['runs/a/b/c']);
  await expect(stat(join(place, 'runs'))).rejects.toMatchObject({ code: 'ENOENT' });
  const keys = Array.from({ length: 200 }, (_, n) => `runs/a/b/${n % 2}/${n}`);
  const work = keys.map(async (key) => {
    await store.put(key, bytes);
    await store.remove([key]);
    return store.put(key, bytes);
  });
  expect((await Promise.all(work)).every(Boolean)).toBe(true);
});

describe('a text that names a store', () => {
  test.each([
    ...['postgres:/app:hush@db/plans', 'postgres:app:hush@db', 'postgresql:/db', 'POSTGRES://app:hush@db', 's3:plans'],
    ...[
      's3:/plans',
      'S3://plans',
      's3://',
      's3:///plans',
      'file:///srv/results',
      'file:results',
      'mysql://app:hush@db',
    ],
    ...['jdbc:postgresql://db', ' postgres://app:hush@db', '"postgres://app:hush@db/plans"', 'results:2'],
  ])('is no folder where it begins as a URL does: %s', (text) => {
    const open = () => openStore(text);
    expect(open).toThrow(expect.objectContaining({ code: 'unreadable' }));
    expect(open).toThrow(/expected a folder, postgres:\/\/HOST\/\.\.\. or s3:\/\/BUCKET\/\.\.\., got/);
    expect(open).not.toThrow('hush');
  });

  test.each(['results', './s3:plans', '../a:b', '/srv/s3:plans', String.raw`C:\results`, 'C:/results', 'a b', 'a/b:c'])(
    'is a folder where it does not: %s',
    (text) => expect(openStore(text).place).toBe(resolve(text)),
  );
});

describe('failures', () => {
  test('a directory that cannot be made is named', async () => {
    await writeFile(place, 'a file');
    const error = await createFileStore(place)
      .put('runs/a', bytes)
      .catch((one: unknown) => one as Error);
    expect(error).toMatchObject({ code: 'unwritable', message: expect.stringContaining(place) as string });
  });

  test('what is there and cannot be read is not taken for missing', async () => {
    await mkdir(place, { recursive: true });
    await symlink('loop', join(place, 'loop'));
    await expect(createFileStore(place).get('loop')).rejects.toMatchObject({ code: 'unreadable' });
    await expect(createFileStore(place).put('loop/x', bytes)).rejects.toMatchObject({ code: 'unwritable' });
  });

  test('a place without the right to write is a fault that says so', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may write everywhere');
    await mkdir(place, { recursive: true, mode: 0o500 });
    await expect(createFileStore(place).put('runs/a', bytes)).rejects.toMatchObject({ code: 'unwritable' });
    await chmod(place, 0o700);
  });
});

test('a digest and its reference are the same bytes', () => {
  const ref = refOfBytes(bytes);
  expect(refOfDigest(digestOfRef(ref))).toBe(ref);
  expect(digestOfRef(digestOfRef(ref))).toBe(digestOfRef(ref));
  for (const wrong of ['', 'x', `${ref}=`, ref.slice(1)])
    expect(() => digestOfRef(wrong)).toThrow(/is no reference: expected 43 characters/);
});
