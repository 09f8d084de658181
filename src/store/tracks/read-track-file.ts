/** Reads records from a file or bytes, in any of the formats. */

import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants as zlib, gunzip } from 'node:zlib';
import { createSet } from '../../plan/algebra/index.ts';
import { messageOf } from '../../plan/text/index.ts';
import { bedSteps } from './read-bed.ts';
import { gff3Steps } from './read-gff3.ts';
import { inTurns } from '../in-steps.ts';
import { idListSteps } from '../read-id-list.ts';
import { jsonRoomProblem } from '../record-room.ts';
import { unreadable, type ReadSet } from '../read-set.ts';
import { fromResultJson } from '../result-json.ts';
import { isGzip } from '../text-lines.ts';
import type { TrackOptions } from './track-collector.ts';

/**
 * Bytes of a file of records, as stored and expanded: 1 GiB.
 * @bound a file of records, as it stands and expanded
 * @beyond refused; of a node `REPLANNING`
 */
export const MAX_TRACK_BYTES = 1_073_741_824;

/**
 * JSON is parsed at once and blocks the process; other formats are read in steps.
 * @bound a file of records in JSON
 * @beyond refused: write it as BED
 */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

/**
 * As `readTrack`, for a file; a file that cannot be read is an issue.
 * @example
 * const track = await readTrackFile('exons.bed.gz', { id: 'location' });
 * if (track.ok) console.log(track.set.ids.length, track.notes);
 */
export async function readTrackFile(path: string, options: TrackOptions): Promise<ReadTrack> {
  let bytes: Buffer;
  try {
    bytes = await readFile(path);
  } catch (error) {
    return unreadable(`${path} cannot be read (${messageOf(error)}).`);
  }
  return readTrack(bytes, path, options);
}

/**
 * Reads BED, GFF3, a list of ids or the JSON of a result set, optionally gzipped. The file's ending decides (.bed,
 * .gff, .gff3, .json, with or without .gz). Otherwise: a content that begins with `{` is JSON; one that begins with
 * `##gff-version 3`, or whose first record has 9 columns with integers in columns 4 and 5, is GFF3; one with integers
 * in columns 2 and 3 is BED; everything else is a list of ids.
 * @param isWhole false for the beginning of a file: only whole lines are read, and no JSON
 * @example await readTrack(await body.bytes(), 'exons.bed.gz', { id: 'name' });
 */
export async function readTrack(
  content: Uint8Array,
  name: string,
  options: TrackOptions,
  isWhole = true,
): Promise<ReadTrack> {
  let bytes: Uint8Array = content;
  try {
    const finishFlush = isWhole ? zlib.Z_FINISH : zlib.Z_SYNC_FLUSH;
    if (isGzip(content)) bytes = await promisify(gunzip)(content, { maxOutputLength: MAX_TRACK_BYTES, finishFlush });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      return unreadable(
        `${name} expands to more than ${MAX_TRACK_BYTES} bytes, which is not read. Split it, by sequence or by type.`,
      );
    }
    return unreadable(`${name} cannot be read: it begins as gzip does and cannot be expanded (${messageOf(error)}).`);
  }
  const format = formatOfName(name) ?? formatOfContent(bytes);
  if (!isWhole && format === 'json') return { ok: true, set: createSet([]), notes: [], format };
  if (!isWhole) bytes = bytes.subarray(0, bytes.lastIndexOf(10) + 1);
  const read = await readAs(format, bytes, name, options);
  return read.ok ? { ...read, format } : read;
}

async function readAs(format: TrackFormat, bytes: Uint8Array, name: string, options: TrackOptions): Promise<ReadSet> {
  switch (format) {
    case 'bed':
      return inTurns(bedSteps(bytes, options));
    case 'gff3':
      return inTurns(gff3Steps(bytes, options));
    case 'json':
      return readJson(name, bytes);
    case 'ids':
      return inTurns(idListSteps(bytes, options.skip));
  }
}

/** The format of a file of records. `json` is the JSON of `toResultJson`, `ids` a list of one id a line. */
export type TrackFormat = 'bed' | 'gff3' | 'json' | 'ids';

/** The set in a file of records with its format, or its issues, as in `ReadSet`. */
export type ReadTrack =
  | (Extract<ReadSet, { ok: true }> & { readonly format: TrackFormat })
  | Extract<ReadSet, { ok: false }>;

const FORMAT_OF_ENDING: ReadonlyMap<string | undefined, TrackFormat> = new Map([
  ['bed', 'bed'],
  ['gff', 'gff3'],
  ['gff3', 'gff3'],
  ['json', 'json'],
  // Its lines show whether it is GTF, which is not read, or GFF3.
  ['gtf', 'gff3'],
]);

function formatOfName(name: string): TrackFormat | undefined {
  return FORMAT_OF_ENDING.get(/\.([a-z0-9]+)(?:\.b?gz)?$/i.exec(name)?.[1]?.toLowerCase());
}

function formatOfContent(bytes: Uint8Array): TrackFormat {
  const beginning = new TextDecoder().decode(bytes.subarray(0, 64 * 1024));
  if (beginning.trimStart().startsWith('{')) return 'json';
  if (beginning.startsWith('##gff-version')) return 'gff3';
  const isRecord = (line: string) => line.trim() !== '' && !/^\s*(?:#|track\b|browser\b)/.test(line);
  for (const line of beginning.split(/\r?\n/).filter(isRecord).slice(0, 2)) {
    if (BED_LINE.test(line)) return 'bed';
    if (GFF3_LINE.test(line)) return 'gff3';
  }
  return 'ids';
}

const BED_LINE = /^\s*\S+ *[\t ] *\d+ *[\t ] *\d+(?:\s|$)/;
const GFF3_LINE = /^[^\t]+\t[^\t]*\t[^\t]*\t *\d+ *\t *\d+ *\t[^\t]*\t[^\t]*\t/;

function readJson(name: string, bytes: Uint8Array): ReadSet {
  const problem = jsonRoomProblem(bytes.length);
  if (problem !== undefined) return unreadable(`${name}: ${problem}`);
  if (bytes.length > MAX_JSON_BYTES)
    return unreadable(
      `${name} has ${bytes.length} bytes, and JSON of at most ${MAX_JSON_BYTES} is read; write it as BED.`,
    );
  let document: unknown;
  try {
    document = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    return unreadable(`${name} is not JSON (${messageOf(error)}).`);
  }
  const read = fromResultJson(document);
  return read.ok ? read : unreadable(`${name}: ${read.message}`);
}
