/** A folder that stays the same folder even if its path changes, and the errors of its files. */

import { constants, lstat, mkdir, open, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, parse, sep } from 'node:path';
import { messageOf, quote } from '../../../plan/text/index.ts';
import { CapabilityError } from '../../index.ts';

/** Error codes that another plan can avoid by naming another file. */
const MISFITS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file; look at the path, which begins in the folder of the project',
  ENOTDIR: 'a part of the path is a file, and no folder',
  EISDIR: 'it is a folder; name a file in it',
  ELOOP: 'it has become a link, or its links go in a circle',
  ENAMETOOLONG: 'its name is too long for the disk',
};

/** Error codes that neither a later attempt nor another plan can avoid. */
const REFUSED: Readonly<Record<string, string>> = {
  EACCES: 'the worker may not do that; look at its permissions',
  EPERM: 'the worker may not do that; look at its permissions',
  EROFS: 'the disk can only be read',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'it is larger than the disk allows',
};

const MAX_PROBLEMS = 5;

/** The error of a task whose file cannot be used. It is REPLANNING, since another plan may name another file. */
export function fileMisfit(path: string, ...problems: readonly string[]): CapabilityError {
  const more = problems.length > MAX_PROBLEMS ? ` (and ${problems.length - MAX_PROBLEMS} more)` : '';
  return new CapabilityError('REPLANNING', `${quote(path)}: ${problems.slice(0, MAX_PROBLEMS).join(' ')}${more}`);
}

/** Converts any error to a CapabilityError. Unknown errors are RETRIABLE, since a disk may answer later. */
export function fileFault(path: string, error: unknown): CapabilityError {
  if (error instanceof CapabilityError) return error;
  const code = errnoOf(error);
  const misfit = MISFITS[code];
  const refused = REFUSED[code];
  const errorClass = misfit !== undefined ? 'REPLANNING' : refused !== undefined ? 'CRITICAL' : 'RETRIABLE';
  const why = misfit ?? refused ?? messageOf(error);
  return new CapabilityError(errorClass, `${quote(path)}: ${why}${code === '' ? '' : ` (${code})`}`, { cause: error });
}

export interface FolderHandle {
  at(name: string): string;
  /** Checks that the path still leads here. @throws CapabilityError `RETRIABLE` if the folder has moved */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** A flag of open(2) on Linux. With it, opening a folder requires only the permission to enter it. */
const O_PATH = 0o10_000_000;
const FOLDER = O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** On Linux, files are opened through a handle of their folder. Elsewhere, the path is checked a second time. */
const HAS_HANDLES = process.platform === 'linux';

/**
 * Opens each folder of the path through the handle of its parent, and follows no link.
 * @param real the path without links, as it was when it was checked
 * @param makes whether to create missing folders
 * @throws CapabilityError `RETRIABLE` if a part of the path is no longer a folder
 */
async function openFolder(real: string, path: string, makes = false): Promise<FolderHandle> {
  const gone = (cause?: unknown) => {
    const why = 'a folder of its path was put elsewhere while it was looked at; let whatever does that end first';
    return new CapabilityError('RETRIABLE', `${quote(path)}: ${why}`, { cause });
  };
  if (!HAS_HANDLES && makes) await mkdir(real, { recursive: true });
  const handle = HAS_HANDLES ? await openPath(real, makes, gone) : undefined;
  const place = handle === undefined ? real : pathOf(handle);
  return {
    at: (name) => join(place, name),
    async check() {
      if ((await realpath(place).catch(() => undefined)) !== real) throw gone();
    },
    close: async () => handle?.close(),
  };
}

async function openPath(real: string, makes: boolean, gone: (cause: unknown) => Error): Promise<FileHandle> {
  const { root } = parse(real);
  let handle = await open(root, FOLDER);
  for (const name of real.slice(root.length).split(sep).filter(Boolean)) {
    const above = handle;
    const below = join(pathOf(above), name);
    try {
      handle = await open(below, FOLDER).catch(async (error: unknown) => {
        if (!makes || errnoOf(error) !== 'ENOENT') throw error;
        await mkdir(below);
        return open(below, FOLDER);
      });
    } catch (error) {
      // Either another process has changed the folder, or the path uses a plain file as a folder.
      const isGone = ['ENOENT', 'EEXIST'].includes(errnoOf(error)) || (await isLink(below));
      throw isGone ? gone(error) : error;
    } finally {
      await above.close();
    }
  }
  return handle;
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (there) => there.isSymbolicLink(),
    () => true,
  );
}

function pathOf({ fd }: FileHandle): string {
  return `/proc/self/fd/${fd}`;
}

export function errnoOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? '';
}

export async function inFolder<T>(
  real: string,
  { path, signal, makes = false }: { readonly path: string; readonly signal: AbortSignal; readonly makes?: boolean },
  work: (folder: FolderHandle, name: string) => Promise<T>,
): Promise<T> {
  let folder: FolderHandle | undefined;
  try {
    folder = await openFolder(dirname(real), path, makes);
    return await work(folder, basename(real));
  } catch (error) {
    signal.throwIfAborted();
    throw fileFault(path, error);
  } finally {
    await folder?.close();
  }
}
