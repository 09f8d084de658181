/** A file that is there whole or not at all, and that no other loses by. */

import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { link, lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { quote } from '../../../plan/text/index.ts';
import { CapabilityError } from '../../index.ts';
import { fileFault } from './file-fault.ts';
import { holdFolder, type HeldFolder } from './hold-folder.ts';

export interface WriteOptions {
  /** The path in the plan. */
  readonly path: string;
  /** Whether another content that is there may be lost. */
  readonly replace: boolean;
  /** The same for every attempt: the next attempt takes away the file that one left behind. */
  readonly unique: string;
  readonly signal: AbortSignal;
}

export interface Written {
  readonly sha256: string;
  readonly bytes: number;
}

/** Characters that are written at once. */
const PIECE = 1_048_576;
/** Hexadecimal digits that tell the runs apart that write beside one another. */
const UNIQUE_DIGITS = 12;

/**
 * Writes the lines beside the file, and then puts them in its place. If the same bytes are there already the file is
 * not touched.
 * @throws CapabilityError where something else is there and `replace` is not set, or what is there is no file
 */
export async function writeWhole(real: string, lines: Iterable<string>, options: WriteOptions): Promise<Written> {
  const { path, signal, unique } = options;
  const name = basename(real);
  let folder: HeldFolder | undefined;
  try {
    folder = await holdFolder(dirname(real), path, true);
    const place = { file: folder.at(name), beside: folder.at(`.${name}.${unique.slice(0, UNIQUE_DIGITS)}.tmp`) };
    await checkThere(place.file, path);
    await folder.check();
    return await writeBeside(place, folder, lines, options);
  } catch (error) {
    signal.throwIfAborted();
    throw fileFault(path, error);
  } finally {
    await folder?.close();
  }
}

/** Paths that go through the handle of the folder. */
interface Place {
  readonly file: string;
  readonly beside: string;
}

async function writeBeside(
  place: Place,
  folder: HeldFolder,
  lines: Iterable<string>,
  options: WriteOptions,
): Promise<Written> {
  await rm(place.beside, { force: true });
  try {
    const written = await writeLines(place.beside, lines, options);
    await folder.check();
    await putInPlace(place, written, options);
    return written;
  } finally {
    await rm(place.beside, { force: true });
  }
}

async function putInPlace({ file, beside }: Place, written: Written, options: WriteOptions): Promise<void> {
  const isSame = async () =>
    (await checkThere(file, options.path)) === written.bytes && (await digestOf(file)) === written.sha256;
  if (options.replace) return (await isSame()) ? undefined : rename(beside, file);
  try {
    // Only one of those who write at once can make this name.
    await link(beside, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (await isSame()) return;
    const why = 'it is there already and holds something else; name another file, or say "replace": true';
    throw new CapabilityError('REPLANNING', `${quote(options.path)}: ${why}`);
  }
}

/** The bytes of what is there, undefined where nothing is. */
export async function checkThere(file: string, path: string): Promise<number | undefined> {
  const there = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (there === undefined || there.isFile()) return there?.size;
  const what = there.isDirectory() ? 'a folder' : there.isSymbolicLink() ? 'a link' : 'a pipe or a device';
  throw new CapabilityError('REPLANNING', `${quote(path)}: ${what} is there, and no file; name another`);
}

async function writeLines(beside: string, lines: Iterable<string>, { signal }: WriteOptions): Promise<Written> {
  const handle = await open(beside, 'wx');
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for (const piece of pieces(lines)) {
      signal.throwIfAborted();
      bytes += await writePiece(handle, piece, hash);
    }
    await handle.sync();
    return { sha256: hash.digest('hex'), bytes };
  } finally {
    await handle.close();
  }
}

async function writePiece(handle: Awaited<ReturnType<typeof open>>, piece: string, hash: Hash): Promise<number> {
  const bytes = Buffer.from(piece);
  hash.update(bytes);
  await handle.writeFile(bytes);
  return bytes.length;
}

function* pieces(lines: Iterable<string>): Generator<string, void, undefined> {
  let piece = '';
  for (const line of lines) {
    piece += line;
    if (piece.length < PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}

async function digestOf(real: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(real)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
