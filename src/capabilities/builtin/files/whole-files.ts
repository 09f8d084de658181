import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { constants, link, lstat, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { quote } from '../../../plan/text/index.ts';
import { CapabilityError } from '../../index.ts';
import { errnoOf, fileMisfit, inFolder } from './folder-handle.ts';

interface WholeFile {
  readonly bytes: Uint8Array;
  /** The SHA-256 digest: 64 lower-case hex digits. */
  readonly sha256: string;
  readonly isWhole: boolean;
}

const PIECE = 4_194_304;

/**
 * Reads a complete file.
 * @param real the path without links; a link that appears later is not followed
 * @param first the number of bytes to read, by default all
 * @throws CapabilityError for more than `maxBytes` bytes or no file; `RETRIABLE` if the file changes meanwhile
 */
export async function readWhole(
  real: string,
  path: string,
  maxBytes: number,
  signal: AbortSignal,
  first = maxBytes,
): Promise<WholeFile> {
  return inFolder(real, { path, signal }, async (folder, name) => {
    // Without O_NONBLOCK, opening a pipe that has no writer would block before the check that it is a file.
    const handle = await open(folder.at(name), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      await folder.check();
      return await readOpen(handle, path, { most: maxBytes, first }, signal);
    } finally {
      await handle.close();
    }
  });
}

async function readOpen(
  handle: FileHandle,
  path: string,
  { most, first }: { readonly most: number; readonly first: number },
  signal: AbortSignal,
): Promise<WholeFile> {
  const before = await handle.stat({ bigint: true });
  if (!before.isFile()) throw fileMisfit(path, before.isDirectory() ? 'it is a folder; name a file in it' : NO_FILE);
  if (before.size > most) {
    throw fileMisfit(
      path,
      `it has ${before.size} bytes, and at most ${most} are read; split it, or keep the lines that matter`,
    );
  }
  const bytes = Buffer.alloc(Math.min(Number(before.size), first));
  const hash = createHash('sha256');
  for (let at = 0; at < bytes.length;) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(bytes, at, Math.min(PIECE, bytes.length - at), at);
    if (bytesRead === 0) throw changed(path);
    hash.update(bytes.subarray(at, at + bytesRead));
    at += bytesRead;
  }
  const after = await handle.stat({ bigint: true });
  if (after.size !== before.size || after.mtimeNs !== before.mtimeNs) throw changed(path);
  return { bytes, sha256: hash.digest('hex'), isWhole: bytes.length === Number(before.size) };
}

const NO_FILE = 'it is a pipe or a device, and no file';

function changed(path: string): CapabilityError {
  const why = 'it changed while it was read; let whatever writes it end first';
  return new CapabilityError('RETRIABLE', `${quote(path)}: ${why}`);
}

interface WriteOptions {
  readonly path: string;
  readonly checkReplaced?: () => Promise<void>;
  /** A text that is the same in every attempt, so that an attempt removes the temporary files of earlier attempts. */
  readonly unique: string;
  readonly signal: AbortSignal;
}

interface Written {
  readonly sha256: string;
  readonly bytes: number;
}

const WRITTEN_PIECE = 1_048_576;
const UNIQUE_DIGITS = 12;

/**
 * Writes a temporary file and moves it to the target, unless the target has the same bytes already.
 * @throws CapabilityError if other content may not be replaced, or if the target is not a file
 */
export async function writeWhole(real: string, lines: Iterable<string>, options: WriteOptions): Promise<Written> {
  const { path, signal, unique } = options;
  return inFolder(real, { path, signal, makes: true }, async (folder, name) => {
    const file = folder.at(name);
    const beside = folder.at(`.${name}.${unique.slice(0, UNIQUE_DIGITS)}.tmp`);
    await checkThere(file, path);
    await folder.check();
    await rm(beside, { force: true });
    try {
      const written = await writeLines(beside, lines, signal);
      await folder.check();
      await putInPlace(file, beside, written, options);
      return written;
    } finally {
      await rm(beside, { force: true });
    }
  });
}

async function putInPlace(file: string, beside: string, written: Written, options: WriteOptions): Promise<void> {
  const isSame = async () =>
    (await checkThere(file, options.path)) === written.bytes && (await sha256Of(file)) === written.sha256;
  if (options.checkReplaced !== undefined) {
    if (await isSame()) return;
    if ((await checkThere(file, options.path)) !== undefined) await options.checkReplaced();
    return rename(beside, file);
  }
  try {
    await link(beside, file);
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw error;
    if (await isSame()) return;
    const why = 'it is there already and holds something else; name another file, or say "replace": true';
    throw fileMisfit(options.path, why);
  }
}

export async function checkThere(file: string, path: string): Promise<number | undefined> {
  const there = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (there === undefined || there.isFile()) return there?.size;
  const what = there.isDirectory() ? 'a folder' : there.isSymbolicLink() ? 'a link' : 'a pipe or a device';
  throw fileMisfit(path, `${what} is there, and no file; name another`);
}

async function writeLines(beside: string, lines: Iterable<string>, signal: AbortSignal): Promise<Written> {
  const handle = await open(beside, 'wx');
  const hash = createHash('sha256');
  let bytes = 0;
  let piece = '';
  const write = async () => {
    signal.throwIfAborted();
    const next = Buffer.from(piece);
    piece = '';
    hash.update(next);
    bytes += next.length;
    await handle.writeFile(next);
  };
  try {
    for (const line of lines) {
      piece += line;
      if (piece.length >= WRITTEN_PIECE) await write();
    }
    await write();
    await handle.sync();
    return { sha256: hash.digest('hex'), bytes };
  } finally {
    await handle.close();
  }
}

export async function sha256Of(real: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(real)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
