/** A file of records as a result set, whatever it is written in. */

import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { readBed } from './read-bed.ts';
import type { BedOptions } from './read-bed.ts';
import { readIdList } from './read-id-list.ts';
import type { ReadSet } from './read-set.ts';
import { fromResultJson } from './result-json.ts';
import { isGzip } from './text-lines.ts';

/**
 * Reads a BED file, a list of ids or the JSON of a result set, compressed with gzip or not. The name decides by its
 * ending (.bed, .json, with or without .gz); under any other name a content that begins with `{` is JSON, one whose
 * first line of records has integers in columns 2 and 3 is BED, and all else is a list of ids.
 */
export async function readTrackFile(path: string, options: BedOptions): Promise<ReadSet> {
  const bytes = await readExpanded(path);
  if (typeof bytes === 'string') return refuse(bytes);
  const ending = /\.([a-z0-9]+)(?:\.b?gz)?$/i.exec(path)?.[1]?.toLowerCase();
  const format = ending === 'bed' || ending === 'json' ? ending : formatOf(bytes);
  if (ending === 'gff' || ending === 'gff3' || ending === 'gtf') {
    return refuse(
      `${path} is a ${ending.toUpperCase()} file, which is not read here. Convert it to BED (for example with gff2bed).`,
    );
  }
  switch (format) {
    case 'bed':
      return readBed(bytes, options);
    case 'json':
      return readJson(path, bytes);
    case 'ids':
      return readIdList(bytes);
  }
}

/** The bytes, or why there are none. */
async function readExpanded(path: string): Promise<Buffer | string> {
  try {
    const bytes = await readFile(path);
    return isGzip(bytes) ? await promisify(gunzip)(bytes) : bytes;
  } catch (error) {
    return `${path} cannot be read (${error instanceof Error ? error.message : String(error)}).`;
  }
}

function formatOf(bytes: Buffer): 'bed' | 'json' | 'ids' {
  const beginning = bytes.toString('utf8', 0, 64 * 1024).replace(/^\uFEFF/, '');
  if (beginning.trimStart().startsWith('{')) return 'json';
  const first = beginning.split(/\r?\n/).find((line) => line.trim() !== '' && !/^(?:#|track\b|browser\b)/.test(line));
  return first !== undefined && /^\S+[\t ]+\d+[\t ]+\d+(?:\s|$)/.test(first) ? 'bed' : 'ids';
}

function readJson(path: string, bytes: Buffer): ReadSet {
  let document: unknown;
  try {
    document = JSON.parse(bytes.toString('utf8').replace(/^\uFEFF/, ''));
  } catch (error) {
    return refuse(`${path} is not JSON (${error instanceof Error ? error.message : String(error)}).`);
  }
  const read = fromResultJson(document);
  return read.ok ? read : refuse(`${path}: ${read.message}`);
}

function refuse(message: string): ReadSet {
  return { ok: false, issues: [{ line: 0, message }] };
}
