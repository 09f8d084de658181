import { realpathSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { listNames } from '../../../plan/text/index.ts';
import { fileFault, fileMisfit } from './folder-handle.ts';

/** The folders in which plans may read and write files. */
export interface FilesOptions {
  /** The folder for relative paths. Default: the working directory. */
  readonly base?: string | undefined;
  /** The allowed folders, relative to `base`. An empty list disables files. Default: `base` itself. */
  readonly folders?: readonly string[] | undefined;
  /** Folders inside the allowed ones that plans may not use, relative to `base`. Default: none. */
  readonly except?: readonly string[] | undefined;
  /** Whether strangers may have written files outside `base`. Default true. */
  readonly untrusted?: boolean | undefined;
}

export interface AllowedFolders {
  readonly list: readonly string[];
  problemOf(path: string): string | undefined;
  /**
   * Returns one name for all spellings of a path, and for the links to a file. The name is relative to the base if the
   * file is below it.
   */
  nameOf(path: string): string;
  /** For a file from outside `base`: the name of its untrusted source. Absent if every file is trusted. */
  readonly sourceOf?: (path: string) => string | undefined;
  /** Finds a file. @throws CapabilityError if it is missing or a link leads out of the allowed folders */
  find(path: string): Promise<string>;
  /**
   * Returns the path for writing a file, whose folder may not exist yet.
   * @throws CapabilityError if a link leads out of the allowed folders
   */
  place(path: string): Promise<string>;
}

export function openFolders({
  base = process.cwd(),
  folders = ['.'],
  except = [],
  untrusted = true,
}: FilesOptions): AllowedFolders {
  if (!Array.isArray(folders) || folders.some((one) => typeof one !== 'string' || one === '')) {
    throw new TypeError('files.folders is a list of folders, each a path');
  }
  const roots = folders.map((folder) => resolve(base, folder));
  const closed = except.map((folder) => resolve(base, folder));

  function problemOf(path: string): string | undefined {
    if (path.includes('\0')) return 'a path has no character of code 0';
    const full = resolve(base, path);
    if (roots.includes(full)) return 'it is a folder; name a file in it';
    return isAllowed(full, roots, closed) ? undefined : outside(full);
  }

  function outside(full: string): string {
    const containing = roots.find((root) => relative(root, full).split(sep)[0] !== '..');
    if (containing !== undefined)
      return `a name that begins with a dot, ${PACKAGES} and the result store are not for plans; name another file`;
    return `it is outside the folders that this project allows (${listNames(folders)}); name a file in one of them, or add its folder to files.folders of the config`;
  }

  function nameOf(path: string): string {
    const full = withoutLinks(resolve(base, path));
    const below = relative(withoutLinks(resolve(base)), full);
    return below.split(sep)[0] === '..' || isAbsolute(below) ? full : below;
  }

  async function real(full: string, path: string): Promise<string> {
    const found = await realpath(full).catch((error: unknown) => {
      throw fileFault(path, error);
    });
    const realOf = async (all: readonly string[]) =>
      Promise.all(all.map(async (folder) => realpath(folder).catch(() => folder)));
    const realRoots = await realOf(roots);
    if (realRoots.includes(found) || isAllowed(found, realRoots, await realOf(closed))) return found;
    const why =
      'a link leads out of the folders that this project allows, or to a hidden file, an installed package or the store';
    throw fileMisfit(path, `${why} (${listNames(folders)}); name the file itself`);
  }

  function checked(path: string): string {
    const problem = problemOf(path);
    if (problem !== undefined) throw fileMisfit(path, problem);
    return resolve(base, path);
  }

  return {
    list: folders,
    problemOf,
    nameOf,
    ...(untrusted &&
      roots.some((root) => isAbsolute(nameOf(root))) && {
        sourceOf: (path) => (isAbsolute(nameOf(path)) ? OUTSIDE : undefined),
      }),
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

/** Installed packages are executed, so plans may not use this folder. */
const PACKAGES = 'node_modules';

const OUTSIDE = 'file from outside the project';

/** Follows the links of a path as far as it exists. */
function withoutLinks(full: string): string {
  try {
    return realpathSync(full);
  } catch {
    const above = dirname(full);
    return above === full ? full : join(withoutLinks(above), basename(full));
  }
}

function isAllowed(path: string, folders: readonly string[], closed: readonly string[]): boolean {
  const namesBelow = (folder: string) => relative(folder, path).split(sep);
  if (closed.some((folder) => namesBelow(folder)[0] !== '..')) return false;
  const isHidden = (name: string) => name.startsWith('.') || name.toLowerCase() === PACKAGES;
  return folders.some((folder) => {
    const names = namesBelow(folder);
    return names[0] !== '' && !isAbsolute(names[0]!) && !names.some(isHidden);
  });
}
