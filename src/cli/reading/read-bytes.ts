/** The bytes of a file or of standard input. */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { CliError } from '../cli-error.ts';

export interface Wanted {
  /** What a person should name: `a plan file`. */
  readonly what: string;
  /** Never more is read than this. Default: everything. */
  readonly limit?: { readonly bytes: number; error(name: string, got: string): CliError };
}

/** `-` is standard input. @throws CliError NO_SUCH_FILE, NOT_A_FILE, NOT_READABLE, or the limit's. */
export async function readBytes(file: string, wanted: Wanted): Promise<Uint8Array> {
  if (file === '-') return readAll(process.stdin, 'standard input', wanted);
  const size = await sizeOf(file, wanted);
  if (wanted.limit !== undefined && size > wanted.limit.bytes) throw wanted.limit.error(file, `${size} bytes`);
  return readAll(createReadStream(file), file, wanted);
}

/** What a file is called in a message. */
export function nameOf(file: string): string {
  return file === '-' ? 'standard input' : file;
}

async function sizeOf(file: string, wanted: Wanted): Promise<number> {
  try {
    const stats = await stat(file);
    if (!stats.isDirectory()) return stats.size;
  } catch (error) {
    throw unreadable(file, error, wanted);
  }
  throw new CliError('NOT_A_FILE', `${file} is a directory; name ${wanted.what} in it`);
}

/** Counted while reading: the size of a pipe is not known before, and a file may grow. */
async function readAll(stream: AsyncIterable<Buffer>, name: string, wanted: Wanted): Promise<Uint8Array> {
  const { limit } = wanted;
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stream) {
      bytes += chunk.length;
      if (limit !== undefined && bytes > limit.bytes) throw limit.error(name, `more than ${limit.bytes} bytes`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof CliError ? error : unreadable(name, error, wanted);
  }
  return Buffer.concat(chunks);
}

function unreadable(file: string, error: unknown, { what }: Wanted): CliError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return new CliError('NO_SUCH_FILE', `there is no file ${file}; name ${what}, or - for standard input`);
  }
  return new CliError('NOT_READABLE', `${file} cannot be read: ${message}`);
}

/** A file of records, as `combine` takes it. @throws CliError as `readBytes`, and INPUT_INVALID where it is too large */
export async function readTrackFile(file: string): Promise<{ readonly name: string; readonly content: Uint8Array }> {
  const { MAX_TRACK_BYTES: bytes } = await import('../../wire/results/index.ts');
  const error = (name: string, got: string) =>
    new CliError('INPUT_INVALID', `${name} has ${got}, and at most ${bytes} are read; split it`);
  const content = await readBytes(file, { what: 'a file of records', limit: { bytes, error } });
  return { name: nameOf(file), content };
}
