/** Locks between processes: held, stale, handed over. */

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { takeLock, type FileLock, type LockHolder } from '../../../src/cli/dev-server/file-lock.ts';
import { testFolder } from '../../support/folders.ts';

let folder: string;
let path: string;

beforeEach(async () => {
  folder = testFolder('lock');
  path = join(folder, 'build.lock');
});

const noWait = { wait: 0 };
const take = () => takeLock(path, noWait);
const isHeld = (lock: FileLock | LockHolder): lock is FileLock => 'release' in lock;
const taken = async (): Promise<FileLock> => {
  const lock = await take();
  if (!isHeld(lock)) throw new Error(`process ${lock.pid} has it`);
  return lock;
};
const since = '2024-01-01T00:00:00.000Z';
const readHolder = async () => JSON.parse(await readFile(path, 'utf8')) as LockHolder;
const writeHolder = (holder: LockHolder) => writeFile(path, JSON.stringify(holder));

describe('a free lock', () => {
  test('is taken, held and given back, and leaves nothing', async () => {
    const lock = await taken();
    expect(await take()).toMatchObject({ pid: process.pid, host: hostname() });
    await lock.release();
    expect(await readdir(folder)).toEqual([]);
  });

  test('given back twice stays with who took it in between', async () => {
    const first = await taken();
    await first.release();
    await taken();
    await first.release();
    expect(isHeld(await take())).toBe(false);
  });

  test('is taken by exactly one of many at once', async () => {
    const locks = await Promise.all(Array.from({ length: 20 }, take));
    expect(locks.filter(isHeld)).toHaveLength(1);
    expect(await readdir(folder)).toEqual(['build.lock']);
  });
});

describe('a lock whose holder is gone is taken over', () => {
  const ended = spawnSync(process.execPath, ['--version']).pid;
  test.each<[string, string]>([
    ['by a process that ended', JSON.stringify({ pid: ended, host: hostname(), since })],
    [
      'by a pid that is another process now',
      JSON.stringify({ pid: process.pid, host: hostname(), since, processStart: '1' }),
    ],
    ['by nobody that can be read', '{"pid":'],
    ['by a pid that is none', JSON.stringify({ pid: -1, host: hostname(), since })],
  ])('%s', async (_name, content) => {
    await writeFile(path, content);
    await taken();
    expect(await readHolder()).toMatchObject({ pid: process.pid });
  });

  test('by exactly one of many at once', async () => {
    await writeHolder({ pid: ended, host: hostname(), since });
    const locks = await Promise.all(Array.from({ length: 20 }, take));
    expect(locks.filter(isHeld)).toHaveLength(1);
  });
});

test('a lock of another host is never taken over', async () => {
  await writeHolder({ pid: 1, host: `not-${hostname()}`, since });
  expect(await take()).toMatchObject({ since });
});

test('waiting tells who holds the lock, and takes it once it is free', async () => {
  const first = await taken();
  const told: number[] = [];
  const onWait = ({ pid }: LockHolder) => {
    told.push(pid);
    void first.release();
  };
  expect(isHeld(await takeLock(path, { wait: 20_000, onWait }))).toBe(true);
  expect(told).toEqual([process.pid]);
});

test('waiting ends at its deadline', async () => {
  await taken();
  expect(isHeld(await takeLock(path, { wait: 20 }))).toBe(false);
});

test('a lock handed to another process is held for as long as that lives', async () => {
  const other = spawn(process.execPath, ['--eval', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  await once(other, 'spawn');
  await (await taken()).transfer(other.pid as number);
  expect(await take()).toMatchObject({ pid: other.pid });
  other.stdin.end();
  await once(other, 'exit');
  await taken();
});
