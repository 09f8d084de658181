/**
 * An entry of a segment: 52 bytes of header, then its bytes.
 *
 *   0 magic `pwS1` · 4 kind · 8 length · 12 check sum of a kept value · 16 key (32 bytes) · 48 check sum of these 48 bytes
 *
 * Numbers are little-endian. The key of an object is its SHA-256, which proves it; that of a kept value is the SHA-256 of
 * its name, so that it needs a check sum of its own.
 */

import { crc32 } from 'node:zlib';
import type { NewEntry } from '../inventory.ts';

export interface Header {
  readonly kind: NewEntry['kind'];
  /** SHA-256, 32 bytes. */
  readonly key: Buffer;
  /** Bytes that follow the header. */
  readonly length: number;
  /** CRC-32 of the bytes of a kept value; 0 for an object. */
  readonly sum: number;
}

export const HEADER_BYTES = 52;
export const MAGIC = Buffer.from('pwS1');
/** Longer bytes are a file of their own; a longer length in a header is no sound one. */
export const MAX_ENTRY_BYTES = 65_536;

const KINDS: readonly NewEntry['kind'][] = ['object', 'kept'];
const SUMMED_BYTES = 48;

export function encodeEntry({ kind, key, bytes }: NewEntry): Buffer {
  const entry = Buffer.alloc(HEADER_BYTES + bytes.length);
  entry.set(MAGIC);
  entry.writeUInt32LE(KINDS.indexOf(kind) + 1, 4);
  entry.writeUInt32LE(bytes.length, 8);
  entry.writeUInt32LE(kind === 'kept' ? crc32(bytes) : 0, 12);
  entry.set(key, 16);
  entry.writeUInt32LE(crc32(entry.subarray(0, SUMMED_BYTES)), SUMMED_BYTES);
  entry.set(bytes, HEADER_BYTES);
  return entry;
}

/** The header at `at`; undefined where there is none, or one that was changed. */
export function headerAt(bytes: Buffer, at: number): Header | undefined {
  if (at + HEADER_BYTES > bytes.length || bytes.compare(MAGIC, 0, MAGIC.length, at, at + MAGIC.length) !== 0)
    return undefined;
  if (bytes.readUInt32LE(at + SUMMED_BYTES) !== crc32(bytes.subarray(at, at + SUMMED_BYTES))) return undefined;
  const kind = KINDS[bytes.readUInt32LE(at + 4) - 1];
  const length = bytes.readUInt32LE(at + 8);
  if (kind === undefined || length > MAX_ENTRY_BYTES) return undefined;
  return { kind, key: bytes.subarray(at + 16, at + SUMMED_BYTES), length, sum: bytes.readUInt32LE(at + 12) };
}
