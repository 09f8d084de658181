/** A file that is there whole or not at all, and that no other loses by. */

import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { quote } from '../../text/index.ts';
import { CapabilityError } from '../capability-error.ts';
import { fileFault } from './file-fault.ts';
import { isStillAt } from './read-whole.ts';

export interface WriteOptions {
  /** As the plan names it. */
  readonly path: string;
  /** Whether another content that is there may be lost. */
  readonly replace: boolean;
  /** The same for every attempt: what one left behind, the next takes away. */
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
 * Writes the lines beside the file, and then puts them in its place. Where the same bytes are there already nothing is
 * touched.
 * @throws CapabilityError where something else is there and `replace` is not set, or what is there is no file
 */
export async function writeWhole(real: string, lines: Iterable<string>, options: WriteOptions): Promise<Written> {
  const { path, signal, unique } = options;
  const beside = join(dirname(real), `.${basename(real)}.${unique.slice(0, UNIQUE_DIGITS)}.tmp`);
  try {
    await checkThere(real, path);
    await mkdir(dirname(real), { recursive: true });
    return await writeBeside(beside, real, lines, options);
  } catch (error) {
    signal.throwIfAborted();
    throw fileFault(path, error);
  }
}

async function writeBeside(
  beside: string,
  real: string,
  lines: Iterable<string>,
  options: WriteOptions,
): Promise<Written> {
  await rm(beside, { force: true });
  try {
    const written = await writeLines(beside, lines, options);
    await putInPlace(beside, real, written, options);
    return written;
  } finally {
    await rm(beside, { force: true });
  }
}

async function putInPlace(beside: string, real: string, written: Written, options: WriteOptions): Promise<void> {
  const there = await checkThere(real, options.path);
  if (there !== undefined && there === written.bytes && (await digestOf(real)) === written.sha256) return;
  if (there !== undefined && !options.replace) {
    const why = 'it is there already and holds something else; name another file, or say "replace": true';
    throw new CapabilityError('REPLANNING', `${quote(options.path)}: ${why}`);
  }
  await rename(beside, real);
}

/** The bytes of what is there, undefined where nothing is. */
async function checkThere(real: string, path: string): Promise<number | undefined> {
  const there = await lstat(real).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (there === undefined || there.isFile()) return there?.size;
  const what = there.isDirectory() ? 'a folder' : there.isSymbolicLink() ? 'a link' : 'a pipe or a device';
  throw new CapabilityError('REPLANNING', `${quote(path)}: ${what} is there, and no file; name another`);
}

async function writeLines(beside: string, lines: Iterable<string>, { path, signal }: WriteOptions): Promise<Written> {
  const handle = await open(beside, 'wx');
  try {
    if (!(await isStillAt(handle, beside))) {
      const why = 'a folder of its path was put elsewhere while it was written; let whatever does that end first';
      throw new CapabilityError('RETRIABLE', `${quote(path)}: ${why}`);
    }
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
