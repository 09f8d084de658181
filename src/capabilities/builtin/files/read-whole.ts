/** All bytes of a file as they were at one moment. */

import { createHash } from 'node:crypto';
import { constants, open, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { quote } from '../../../plan/text/index.ts';
import { CapabilityError } from '../../index.ts';
import { fileFault } from './file-fault.ts';
import { holdFolder, type HeldFolder } from './hold-folder.ts';

export interface WholeFile {
  readonly bytes: Uint8Array;
  /** 64 lower-case hex digits. */
  readonly sha256: string;
  readonly isWhole: boolean;
}

/** Bytes that are read between two looks at the signal. */
const PIECE = 4_194_304;

/**
 * @param real without links; one that has come since is not followed
 * @param first bytes of it that are read, where that is not all of it
 * @throws CapabilityError of what is no file or has more than `most` bytes, and `RETRIABLE` where it changes meanwhile
 */
export async function readWhole(
  real: string,
  path: string,
  most: number,
  signal: AbortSignal,
  first = most,
): Promise<WholeFile> {
  let folder: HeldFolder | undefined;
  let handle: FileHandle | undefined;
  try {
    folder = await holdFolder(dirname(real), path);
    // A pipe without a writer would hold the process before anybody could see that it is one.
    handle = await open(folder.at(basename(real)), constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    await folder.check();
    return await readOpen(handle, path, { most, first }, signal);
  } catch (error) {
    signal.throwIfAborted();
    throw fileFault(path, error);
  } finally {
    await handle?.close();
    await folder?.close();
  }
}

async function readOpen(
  handle: FileHandle,
  path: string,
  { most, first }: { readonly most: number; readonly first: number },
  signal: AbortSignal,
): Promise<WholeFile> {
  const before = await handle.stat({ bigint: true });
  if (!before.isFile()) throw refuse(path, before.isDirectory() ? 'it is a folder; name a file in it' : NO_FILE);
  if (before.size > most) {
    throw refuse(
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

function refuse(path: string, why: string): CapabilityError {
  return new CapabilityError('REPLANNING', `${quote(path)}: ${why}`);
}

function changed(path: string): CapabilityError {
  const why = 'it changed while it was read; let whatever writes it end first';
  return new CapabilityError('RETRIABLE', `${quote(path)}: ${why}`);
}
