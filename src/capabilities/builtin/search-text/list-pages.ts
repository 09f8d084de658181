/** The files of a folder that are searched, and those that are not, with the reason. */

import { lstat, readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';

export interface PageFile {
  /** From the folder, with `/`. */
  readonly file: string;
  readonly path: string;
  readonly bytes: number;
  readonly changedMs: number;
}

/** A file that was left out. */
export interface Skipped {
  readonly file: string;
  readonly why: string;
}

export interface PageList {
  /** In the order of their names. */
  readonly pages: readonly PageFile[];
  readonly skipped: readonly Skipped[];
}

const MAX_FILES = 5000;
const MAX_FILE_BYTES = 1_048_576;
const MAX_ALL_BYTES = 16_777_216;
/** Folders inside each other; a folder is never entered through a link. */
const MAX_LEVELS = 20;

/**
 * The files below a folder that end in one of these, at most 5000 of 1 MiB each and 16 MiB in all. A file whose name
 * begins with a dot is no page.
 */
export async function listPages(folder: string, extensions: readonly string[]): Promise<PageList> {
  const pages: PageFile[] = [];
  const skipped: Skipped[] = [];
  let all = 0;
  await visit(folder, '', 1);
  return { pages, skipped };

  async function visit(path: string, prefix: string, level: number): Promise<void> {
    const entries = await readdir(path, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => error);
    if (entries instanceof Error) {
      if (level === 1) throw entries;
      return void skipped.push({ file: prefix, why: `it cannot be read (${entries.code})` });
    }
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (entry.name.startsWith('.')) continue;
      const [file, below] = [prefix + entry.name, join(path, entry.name)];
      if (entry.isDirectory()) {
        if (level < MAX_LEVELS) await visit(below, `${file}/`, level + 1);
        else skipped.push({ file, why: `it is more than ${MAX_LEVELS} folders deep` });
      } else if (extensions.includes(extname(entry.name).toLowerCase())) {
        await look(file, below, entry.isFile());
      }
    }
  }

  async function look(file: string, path: string, isFile: boolean): Promise<void> {
    if (!isFile) return void skipped.push({ file, why: 'it is a link or a device, and no file' });
    const { size: bytes, mtimeMs: changedMs } = await lstat(path);
    const why =
      bytes > MAX_FILE_BYTES
        ? `it has ${bytes} bytes, and at most ${MAX_FILE_BYTES} are read`
        : pages.length >= MAX_FILES
          ? `there are more than ${MAX_FILES} files`
          : all + bytes > MAX_ALL_BYTES
            ? `all files together have more than ${MAX_ALL_BYTES} bytes`
            : undefined;
    if (why !== undefined) return void skipped.push({ file, why });
    all += bytes;
    pages.push({ file, path, bytes, changedMs });
  }
}
