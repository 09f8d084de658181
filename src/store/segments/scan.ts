/** Reads the headers of a segment from a place on, in chunks. */

import type { FileHandle } from 'node:fs/promises';
import { HEADER_BYTES, headerAt, MAGIC, type Header } from './entry.ts';

/** How far a segment could be read. */
export interface Scanned {
  /** The end of the last whole entry: what follows is being written, or was cut. */
  readonly end: number;
  /** The first place at which a header was changed, if one was. */
  readonly damagedAt?: number;
}

const CHUNK_BYTES = 1_048_576;

/**
 * Tells every whole entry between `from` and `size`. A cut tail is no damage: a killed write leaves one, and a power cut
 * leaves zeros. A header that is there and not sound is: the next sound one is looked for, since its length says nothing.
 */
export async function scan(
  file: FileHandle,
  from: number,
  size: number,
  tell: (header: Header, offset: number) => void,
): Promise<Scanned> {
  const window = createWindow(file, size);
  let damagedAt: number | undefined;
  let at = from;
  while (size - at >= HEADER_BYTES) {
    const piece = await window.around(at, HEADER_BYTES);
    if (piece === undefined) break;
    const header = headerAt(piece.bytes, at - piece.base);
    if (header === undefined) {
      const next = await nextHeader(window, at, size);
      if (next === 'zeros') break;
      damagedAt ??= at;
      if (next === undefined) break;
      at = next;
      continue;
    }
    const end = at + HEADER_BYTES + header.length;
    if (end > size) break;
    tell(header, at);
    at = end;
  }
  return { end: at, ...(damagedAt !== undefined && { damagedAt }) };
}

/** The place of the next sound header; undefined where there is none, `zeros` where nothing else follows. */
async function nextHeader(window: Window, from: number, size: number): Promise<number | 'zeros' | undefined> {
  let areZeros = true;
  for (let at = from; at < size;) {
    const piece = await window.around(at, Math.min(HEADER_BYTES, size - at));
    if (piece === undefined) break;
    const { bytes, base } = piece;
    let found = bytes.indexOf(MAGIC, at - base);
    if (areZeros) areZeros = bytes.subarray(at - base).every((byte) => byte === 0);
    for (; found !== -1 && found + HEADER_BYTES <= bytes.length; found = bytes.indexOf(MAGIC, found + 1)) {
      if (headerAt(bytes, found) !== undefined) return base + found;
    }
    // A header may begin in this piece and end in the next.
    const read = base + bytes.length;
    at = read === size ? size : read - HEADER_BYTES + 1;
  }
  return areZeros ? 'zeros' : undefined;
}

interface Window {
  /** A piece of the file with the `length` bytes at `at`; undefined where the file was cut meanwhile. */
  around(at: number, length: number): Promise<{ readonly bytes: Buffer; readonly base: number } | undefined>;
}

function createWindow(file: FileHandle, size: number): Window {
  let [bytes, base] = [Buffer.alloc(0), 0];
  return {
    async around(at, length) {
      if (at < base || at + length > base + bytes.length) {
        const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at));
        bytes = buffer.subarray(0, await readFully(file, buffer, at));
        base = at;
      }
      return at + length > base + bytes.length ? undefined : { bytes, base };
    },
  };
}

/** @returns the bytes read: fewer than asked for at the end of the file */
export async function readFully(file: FileHandle, buffer: Buffer, at: number): Promise<number> {
  let read = 0;
  while (read < buffer.length) {
    const { bytesRead } = await file.read(buffer, read, buffer.length - read, at + read);
    if (bytesRead === 0) break;
    read += bytesRead;
  }
  return read;
}
