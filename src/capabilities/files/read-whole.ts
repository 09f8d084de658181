/** All bytes of a file as they were at one moment. */

import { createHash } from 'node:crypto';
import { constants, open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { quote } from '../../text/index.ts';
import { CapabilityError } from '../capability-error.ts';
import { fileFault } from './file-fault.ts';

export interface WholeFile {
  readonly bytes: Uint8Array;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
}

/** Bytes that are read between two looks at the signal. */
const PIECE = 4_194_304;

/**
 * @param real without links; one that has come since is not followed
 * @throws CapabilityError of what is no file or has more than `most` bytes, and `RETRIABLE` where it changes meanwhile
 */
export async function readWhole(real: string, path: string, most: number, signal: AbortSignal): Promise<WholeFile> {
  let handle: FileHandle | undefined;
  try {
    // A pipe that nobody writes to would hold the process before anybody could see that it is one.
    handle = await open(real, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    if (!(await isStillAt(handle, real))) throw changed(path);
    return await readOpen(handle, path, most, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw fileFault(path, error);
  } finally {
    await handle?.close();
  }
}

/** Whether the open file is the one of that path, and no folder of the path has become a link since it was looked at. */
export async function isStillAt(handle: FileHandle, real: string): Promise<boolean> {
  const [opened, there] = await Promise.all([handle.stat({ bigint: true }), stat(real, { bigint: true })]);
  return opened.dev === there.dev && opened.ino === there.ino && (await realpath(real)) === real;
}

async function readOpen(handle: FileHandle, path: string, most: number, signal: AbortSignal): Promise<WholeFile> {
  const before = await handle.stat({ bigint: true });
  if (!before.isFile()) throw refuse(path, before.isDirectory() ? 'it is a folder; name a file in it' : NO_FILE);
  if (before.size > most) {
    throw refuse(
      path,
      `it has ${before.size} bytes, and at most ${most} are read; split it, or keep the lines that matter`,
    );
  }
  const bytes = Buffer.alloc(Number(before.size));
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
  return { bytes, sha256: hash.digest('hex') };
}

const NO_FILE = 'it is a pipe or a device, and no file';

function refuse(path: string, why: string): CapabilityError {
  return new CapabilityError('REPLANNING', `${quote(path)}: ${why}`);
}

function changed(path: string): CapabilityError {
  const why = 'it changed while it was read; let whatever writes it end first';
  return new CapabilityError('RETRIABLE', `${quote(path)}: ${why}`);
}
