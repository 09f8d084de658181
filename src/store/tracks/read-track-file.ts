/** Reads records from a file or from bytes, in any of the formats. */

import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants as zlib, gunzip } from 'node:zlib';
import {
  createSet,
  atOnce,
  STRAND_OF_SYMBOL,
  type ResultLocation,
  type Steps,
  type StrandSign,
} from '../../plan/algebra/index.ts';
import { messageOf } from '../../plan/text/index.ts';
import { gff3Steps } from './read-gff3.ts';
import { inTurns, LINES_IN_STEP } from '../in-lines.ts';
import { idListSteps } from '../read-id-list.ts';
import {
  unreadable,
  type ReadSet,
  headingProblem,
  isPassedOver,
  readSpan,
  SKIP,
  jsonRoomProblem,
} from '../read-set.ts';
import { fromResultJson } from '../result-json.ts';
import { isGzip, textBytes, textLines } from '../text-lines.ts';
import { type TrackOptions, createTrackCollector } from './track-collector.ts';

/**
 * Reads BED with 3 to 12 columns: 0-based half-open in the text, 1-based with both ends inclusive in the set. Ignores
 * blank lines and lines that start with `#`, `track` or `browser`. Columns are separated by tabs, or by spaces in a
 * line without tabs, and are trimmed. The name `.` means no name; the strands `.`, `*` and none mean no strand. Blocks
 * are read as one span, with a note. Lines with the same id and location are one record; an id at two locations is one
 * issue.
 * @example readBed('chr1\t9\t20\texon-1\n', { id: 'name' }); // a set of exon-1 at chr1:10-20
 */
export function readBed(content: string | Uint8Array, options: TrackOptions): ReadSet {
  return atOnce(bedSteps(content, options));
}

function* bedSteps(content: string | Uint8Array, options: TrackOptions): Steps<ReadSet> {
  const text = textBytes(content);
  if (!text.ok) return text;
  const { attribute: _, ...own } = options;
  const collector = createTrackCollector(own, 'name', 'A record has one place: ask for location ids');
  let isFirst = true;
  for (const { line, text: lineText } of textLines(text)) {
    if (line % LINES_IN_STEP === 0) yield;
    if (collector.isFull) break;
    if (isPassedOver(lineText)) continue;
    const columns = columnsOf(lineText);
    const heading = isFirst ? headingProblem(columns[1] ?? '', columns[2] ?? '') : undefined;
    isFirst = false;
    if (heading !== undefined) {
      collector.omit(line, heading);
      continue;
    }
    const parsed = parseLine(columns);
    if (typeof parsed === 'string') collector.refuse(line, parsed);
    else if (parsed.location.stop < parsed.location.start)
      collector.omit(line, `Start and end are both ${parsed.location.stop}: ${NO_BASE}, or ${SKIP}.`);
    else {
      collector.add(line, parsed.name, parsed.location);
      if (BLOCKS.test(lineText)) collector.simplify(line, AS_ONE_SPAN);
    }
  }
  return yield* collector.finish();
}

/** The eleventh of at least 12 columns has the lengths of several blocks. */
const BLOCKS = /^(?:[^\t]*\t){10} *\d+,\d[^\t]*\t/;
const AS_ONE_SPAN = 'the blocks of BED12 are read as one span, gaps included';

const NO_BASE =
  'an interval of length 0 lies between two bases and has none of its own, so it cannot be a record. Give it a base';

const BED_STRANDS: ReadonlyMap<string, StrandSign> = new Map([...STRAND_OF_SYMBOL, ['*', 0], ['', 0]]);

interface BedRecord {
  readonly name: string | undefined;
  readonly location: ResultLocation;
}

function columnsOf(text: string): readonly string[] {
  return text.includes('\t') ? text.split('\t').map((column) => column.trim()) : text.trim().split(/ +/);
}

function parseLine(columns: readonly string[]): BedRecord | string {
  const [sequence = '', startText, stopText, name, , strandText] = columns;
  if (startText === undefined || stopText === undefined) {
    return `A BED line has at least 3 columns (sequence, start, end), parted by tabs; this one has ${columns.length}.`;
  }
  if (sequence === '') return 'The first column, the sequence name, is empty.';
  const span = readSpan('BED', 0, ['start', startText], ['end', stopText]);
  if (typeof span === 'string') return span;
  const { start, stop } = span;
  const strand = strandText === undefined ? 0 : BED_STRANDS.get(strandText);
  if (strand === undefined)
    return `The strand (column 6) is ${JSON.stringify(strandText)}; expected +, - or a dot for none.`;
  const isNamed = name !== undefined && name !== '' && name !== '.';
  return { name: isNamed ? name : undefined, location: { sequence, start: start + 1, stop, strand } };
}

/** @bound a file of records, as it is and expanded @beyond the file is rejected; a node fails with `REPLANNING` */
export const MAX_TRACK_BYTES = 1_073_741_824;

/**
 * JSON is parsed at once, which blocks the process. Other formats are read in steps.
 * @bound a file of records in JSON @beyond the file is rejected: write it as BED
 */
const MAX_JSON_BYTES = 64 * 1024 * 1024;

/**
 * Reads a file of records like `readTrack`. A file that cannot be read is an issue.
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
 * Reads BED, GFF3, a list of ids, or the JSON of a result set; may be gzipped. The file name's ending decides (.bed,
 * .gff, .gff3, .json, with or without .gz). With another ending, the content decides: if it starts with `{`, it is
 * JSON. If it starts with `##gff-version 3`, or its first record has 9 columns with integers in columns 4 and 5, it is
 * GFF3. If columns 2 and 3 have integers, it is BED. Everything else is a list of ids.
 * @param isWhole false if this is only the beginning of a file: then only whole lines are read, and no JSON
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

/** The format of a file of records. `json` is the output of `toResultJson`, `ids` a list with one id per line. */
export type TrackFormat = 'bed' | 'gff3' | 'json' | 'ids';

/** The set in a file of records with its format, or its issues as in `ReadSet`. */
export type ReadTrack =
  | (Extract<ReadSet, { ok: true }> & { readonly format: TrackFormat })
  | Extract<ReadSet, { ok: false }>;

const FORMAT_OF_ENDING: ReadonlyMap<string | undefined, TrackFormat> = new Map([
  ['bed', 'bed'],
  ['gff', 'gff3'],
  ['gff3', 'gff3'],
  ['json', 'json'],
  // The lines show whether the text is GFF3 or GTF, which is rejected.
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
