/**
 * The folders where files of plans may be. A plan may be a model's, so a path is looked at as it is written and as the
 * disk has it.
 */

import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { listNames, quote } from '../../../plan/text/index.ts';
import { CapabilityError } from '../../index.ts';
import { fileFault } from './file-fault.ts';
import { z } from 'zod';

/** The folders whose files a project lets plans read and write. */
export interface FilesOptions {
  /** The folder in which relative paths begin. Default: the folder in which the process runs. */
  readonly base?: string;
  /** Relative to `base`; none switches files off. Default: `base` itself. */
  readonly folders?: readonly string[];
}

export interface AllowedFolders {
  /** The folders as they were given. */
  readonly list: readonly string[];
  /** The fault of a path as it is written, whatever the disk has there; undefined when it has none. */
  problemOf(path: string): string | undefined;
  /** One name for all spellings of a path: relative to the base where it lies below it. */
  nameOf(path: string): string;
  /**
   * The real path of a file, no link left in it.
   * @throws CapabilityError of a file that is not there or that a link leads out of the folders.
   */
  find(path: string): Promise<string>;
  /**
   * The path at which a file would be written: its folder, which may not be there yet, with no link left in the part
   * that is there.
   * @throws CapabilityError as `find`.
   */
  place(path: string): Promise<string>;
}

/** @throws TypeError when the options do not fit. */
export function openFolders({ base = process.cwd(), folders = ['.'] }: FilesOptions): AllowedFolders {
  if (!Array.isArray(folders) || folders.some((one) => typeof one !== 'string' || one === '')) {
    throw new TypeError('files.folders is a list of folders, each a path');
  }
  const roots = folders.map((folder) => resolve(base, folder));

  function problemOf(path: string): string | undefined {
    if (path.includes('\0')) return 'a path has no character of code 0';
    const full = resolve(base, path);
    if (roots.includes(full)) return 'it is a folder; name a file in it';
    return roots.some((root) => isBelow(root, full)) ? undefined : outside(full);
  }

  function outside(full: string): string {
    const shown = roots.find((root) => relative(root, full).split(sep)[0] !== '..');
    if (shown !== undefined)
      return 'files and folders whose name begins with a dot are not for plans; name another file';
    return `it is outside the folders that this project allows (${listNames(folders)}); name a file in one of them, or add its folder to files.folders of the config`;
  }

  /** The real place of what is there. */
  async function real(full: string, path: string): Promise<string> {
    const found = await realpath(full).catch((error: unknown) => {
      throw fileFault(path, error);
    });
    const realRoots = await Promise.all(roots.map((root) => realpath(root).catch(() => root)));
    if (realRoots.some((root) => found === root || isBelow(root, found))) return found;
    const why = 'a link leads out of the folders that this project allows, or to a hidden file';
    throw new CapabilityError('REPLANNING', `${quote(path)}: ${why} (${listNames(folders)}); name the file itself`);
  }

  function checked(path: string): string {
    const problem = problemOf(path);
    if (problem !== undefined) throw new CapabilityError('REPLANNING', `${quote(path)}: ${problem}`);
    return resolve(base, path);
  }

  return {
    list: folders,
    problemOf,
    nameOf(path) {
      const full = resolve(base, path);
      const below = relative(base, full);
      return below.split(sep)[0] === '..' || isAbsolute(below) ? full : below;
    },
    find: async (path) => real(checked(path), path),
    async place(path) {
      const full = checked(path);
      const missing: string[] = [];
      for (let at = dirname(full); ; at = dirname(at)) {
        try {
          return join(await real(at, path), ...missing, basename(full));
        } catch (error) {
          const isMissing = (error as { readonly cause?: { readonly code?: string } }).cause?.code === 'ENOENT';
          if (!isMissing || roots.includes(at)) throw error;
          missing.unshift(basename(at));
        }
      }
    },
  };
}

/** Whether a path lies below a folder, and is not hidden there. */
function isBelow(folder: string, path: string): boolean {
  const [first = '', ...rest] = relative(folder, path).split(sep);
  return first !== '' && !isAbsolute(first) && ![first, ...rest].some((name) => name.startsWith('.'));
}

const MAX_PATH = 1000;

export function pathIn(folders: AllowedFolders) {
  return z
    .string()
    .min(1)
    .max(MAX_PATH)
    .superRefine((path, context) => {
      const message = folders.problemOf(path);
      if (message !== undefined) context.addIssue({ code: 'custom', message });
    });
}
