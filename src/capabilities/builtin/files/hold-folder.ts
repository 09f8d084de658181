/** A folder that stays the same one, whatever becomes of its path meanwhile. */

import { constants, lstat, mkdir, open, realpath, type FileHandle } from 'node:fs/promises';
import { join, parse, sep } from 'node:path';
import { quote } from '../../../plan/text/index.ts';
import { CapabilityError } from '../../index.ts';

export interface HeldFolder {
  /** The path by which a file in it is reached. */
  at(name: string): string;
  /** @throws CapabilityError `RETRIABLE` where the folder is somewhere else by now */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** open(2) of Linux: a handle that needs no right to read the folder, only to go through it. */
const O_PATH = 0o10_000_000;
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Linux reaches files through the handle of their folder; elsewhere the path is looked at again, which leaves a moment. */
const HAS_HANDLES = process.platform === 'linux';

/**
 * Opens each folder of the path below the handle of the one before, and follows no link.
 * @param real without links when it was looked at
 * @param path as the plan names the file, for messages
 * @param makes whether folders that are missing are made
 * @throws CapabilityError `RETRIABLE` where a part of the path is no folder, or a link, by now
 */
export async function holdFolder(real: string, path: string, makes = false): Promise<HeldFolder> {
  const gone = (cause?: unknown) => {
    const why = 'a folder of its path was put elsewhere while it was looked at; let whatever does that end first';
    return new CapabilityError('RETRIABLE', `${quote(path)}: ${why}`, { cause });
  };
  if (!HAS_HANDLES && makes) await mkdir(real, { recursive: true });
  const handle = HAS_HANDLES ? await walk(real, makes, gone) : undefined;
  const place = handle === undefined ? real : placeOf(handle);
  return {
    at: (name) => join(place, name),
    async check() {
      if ((await realpath(place).catch(() => undefined)) !== real) throw gone();
    },
    close: async () => handle?.close(),
  };
}

async function walk(real: string, makes: boolean, gone: (cause: unknown) => Error): Promise<FileHandle> {
  const { root } = parse(real);
  let held = await open(root, FOLDER);
  for (const name of real.slice(root.length).split(sep).filter(Boolean)) {
    const above = held;
    const below = join(placeOf(above), name);
    try {
      held = await open(below, FOLDER).catch(async (error: unknown) => {
        if (!makes || codeOf(error) !== 'ENOENT') throw error;
        await mkdir(below);
        return open(below, FOLDER);
      });
    } catch (error) {
      // Another has made, removed or exchanged it since; a plain file has only been named as a folder.
      const isGone = ['ENOENT', 'EEXIST'].includes(codeOf(error)) || (await isLink(below));
      throw isGone ? gone(error) : error;
    } finally {
      await above.close();
    }
  }
  return held;
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (there) => there.isSymbolicLink(),
    () => true,
  );
}

function placeOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? '';
}
