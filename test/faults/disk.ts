/** What can become of a result store's directory. */

import { spawnSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { digestOfRef } from '../../src/store/owners.ts';

/** A small file system of its own. Making one takes root on Linux. */
export interface SmallDisk {
  /** Fills it to the last byte. */
  fill(): Promise<void>;
  /** Removes what filled it. */
  free(): Promise<void>;
  setWritable(isWritable: boolean): void;
}

/** Mounts one on the directory until the test ends; undefined where that is not allowed. */
export async function mountSmallDisk(dir: string, size = '4m'): Promise<SmallDisk | undefined> {
  await mkdir(dir, { recursive: true });
  if (mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', dir) !== 0) return undefined;
  onTestFinished(() => void spawnSync('umount', ['-l', dir]));
  const filler = join(dir, 'filler');
  return {
    async fill() {
      const piece = Buffer.alloc(4096);
      for (;;) {
        const isFull = await writeFile(filler, piece, { flag: 'a' }).then(
          () => false,
          () => true,
        );
        if (isFull) return;
      }
    },
    free: () => rm(filler, { force: true }),
    setWritable(isWritable) {
      if (mount('-o', `remount,${isWritable ? 'rw' : 'ro'}`, dir) !== 0) throw new Error(`${dir} cannot be remounted`);
    },
  };
}

function mount(...options: readonly string[]): number | null {
  return spawnSync('mount', options, { stdio: 'ignore' }).status;
}

/** How a file of the store is damaged. */
export const DAMAGES: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'a flipped byte': async (path) => {
    const bytes = await readFile(path);
    const middle = bytes.length >> 1;
    bytes[middle] = (bytes[middle] ?? 0) ^ 1;
    await writeFile(path, bytes);
  },
  'a truncated file': (path) => truncate(path, 3),
  'a removed file': (path) => rm(path),
};

/** Where the store has what the reference names, in whichever run. */
export async function objectPaths(storeDir: string, ref: string): Promise<readonly string[]> {
  const name = digestOfRef(ref);
  return (await allObjects(storeDir)).filter((path) => path.endsWith(name));
}

/** Every file of contents in the store. */
export async function allObjects(storeDir: string): Promise<readonly string[]> {
  const entries = await readdir(storeDir, { recursive: true, withFileTypes: true });
  const isContent = (folder: string) => ['objects', 'parts'].includes(basename(folder));
  return entries
    .filter((entry) => entry.isFile() && isContent(entry.parentPath))
    .map((entry) => join(entry.parentPath, entry.name));
}
