import { MAX_POSITION, type ResultSet } from '../plan/algebra/index.ts';
import { cutCharacters, quote } from '../plan/text/index.ts';
import v8 from 'node:v8';

/** A problem in a text. `line` counts from 1; 0 means the whole text. */
export interface ReadIssue {
  readonly line: number;
  readonly message: string;
}

/** The set in a text of records, or its first 100 issues. `notes` say what was interpreted. */
export type ReadSet =
  | { readonly ok: true; readonly set: ResultSet; readonly notes: readonly string[] }
  | { readonly ok: false; readonly issues: readonly ReadIssue[] };

/** The result for a text of which nothing, or nothing after this line, can be read. */
export function unreadable(message: string, line = 0): Extract<ReadSet, { ok: false }> {
  return { ok: false, issues: [{ line, message }] };
}

/** Whether a line is blank, a comment, or a browser setting. A line of a sequence named `track` is none of these. */
export function isPassedOver(text: string): boolean {
  if (/^\s*(?:#|$)/.test(text)) return true;
  return /^(?:track|browser)(?:\s|$)/.test(text) && !/^\w+(?: *\t[^\t=]*\t|\s+\d+\s+\d+(?:\s|$))/.test(text);
}

const WORD = /^[A-Za-z_]/;

/** The problem of a first line with words in place of positions: a heading without a comment sign. */
export function headingProblem(startText: string, endText: string): string | undefined {
  if (!WORD.test(startText) || !WORD.test(endText)) return undefined;
  const words = `${quote(startText)} and ${quote(endText)}`;
  return `The line looks like a heading: in place of start and end it has ${words}. Begin it with #, or ${SKIP}.`;
}

/** The first and last position of a record, or the problem with one of them. */
export function readSpan(
  format: 'BED' | 'GFF3',
  min: 0 | 1,
  [startName, startText]: readonly [string, string],
  [endName, endText]: readonly [string, string],
): { readonly start: number; readonly stop: number } | string {
  const [start, stop] = [positionIn(startText, min), positionIn(endText, min)];
  if (start === undefined || stop === undefined) {
    const [column, got] = start === undefined ? [startName, startText] : [endName, endText];
    return `The ${column} is ${JSON.stringify(got)}; expected an integer from ${min} to ${MAX_POSITION}, without zeros before it.`;
  }
  if (start <= stop) return { start, stop };
  return `The start ${start} is past the end ${stop}. ${format} gives the smaller one first on both strands.`;
}

function positionIn(text: string, min: number): number | undefined {
  const position = /^(?:0|[1-9]\d{0,9})$/.test(text) ? Number(text) : Infinity;
  return position >= min && position <= MAX_POSITION ? position : undefined;
}

export interface ReadIssues {
  add(line: number, message: string): void;
  /** Adds an issue for a line that is no record, or that the format allows but a set cannot represent. */
  addAllowed(line: number, message: string): void;
  /** The rejection of the text, if there are issues. With `skip`, only if no line could be read. */
  refusal(read: number): Extract<ReadSet, { ok: false }> | undefined;
  /** With `skip`: how many lines were omitted, and the reasons for the first of them. */
  notes(): readonly string[];
}

const MAX_ISSUES = 100;

const QUOTED = 2;
const QUOTED_CHARACTERS = 120;

export const SKIP = 'leave such lines out (skip: true)';

export function createIssueList(skip = false): ReadIssues {
  const listed: ReadIssue[] = [];
  let count = 0;
  let unreadableLines = 0;
  const addAllowed = (line: number, message: string) => {
    count += 1;
    if (listed.length < MAX_ISSUES) listed.push({ line, message });
  };
  return {
    addAllowed,
    add(line, message) {
      unreadableLines += 1;
      addAllowed(line, message);
    },
    refusal(read) {
      if (count === 0 || (skip && (read > 0 || unreadableLines === 0))) return undefined;
      const more = count - listed.length;
      const rest = more === 0 ? [] : [{ line: 0, message: `and ${counted(more, 'more problem')}.` }];
      return { ok: false, issues: [...listed, ...rest] };
    },
    notes() {
      if (count === 0) return [];
      const quoted = listed.slice(0, QUOTED);
      const reasons = quoted.map(({ line, message }) => `line ${line}: ${cutCharacters(message, QUOTED_CHARACTERS)}`);
      const more = count > QUOTED ? [`and ${count - QUOTED} more`] : [];
      return [`${count === 1 ? '1 line was' : `${count} lines were`} left out. ${[...reasons, ...more].join('; ')}`];
    },
  };
}

/** A note with the number of lines that repeat an earlier record. */
export function repeatNote(repeats: number, what: string): readonly string[] {
  return repeats === 0
    ? []
    : [`${counted(repeats, 'line')} repeated the ${what} of an earlier line; each such record counts once.`];
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/**
 * Applies even if there is enough memory.
 * @bound records of one file @beyond the file is rejected: choose a type, or split it
 */
const MAX_RECORDS = 6_000_000;
const SHARE = 0.75;
/** Bytes of memory for a record without its id, as measured: 80 for BED, 200 for GFF3. */
const RECORD_BYTES = 200;
/** How many times more memory JSON takes as values than as bytes. */
const JSON_TIMES = 8;

interface RecordRoom {
  takeRecord(id: string): void;
  /** Why no more records fit, and what to do; undefined as long as they fit. */
  readonly problem: string | undefined;
}

export function createRecordRoom(): RecordRoom {
  const max = heapShare();
  let count = 0;
  let bytes = 0;
  return {
    takeRecord(id) {
      count += 1;
      bytes += RECORD_BYTES + id.length;
    },
    get problem() {
      if (count > MAX_RECORDS) {
        return `There are more than ${MAX_RECORDS} records, and no more are read from one file. Choose a type of GFF3, or split the file.`;
      }
      return bytes > max ? `Its records take more than ${memory(max)} ${GIVE_MORE}` : undefined;
    },
  };
}

/** Why a JSON document of this size does not fit into memory, and what to do; undefined if it fits. */
export function jsonRoomProblem(bytes: number): string | undefined {
  const max = heapShare();
  return bytes * JSON_TIMES > max ? `As JSON it takes more than ${memory(max)} ${GIVE_MORE}` : undefined;
}

const GIVE_MORE =
  'of memory, three quarters of what this process may have. Give it more (NODE_OPTIONS=--max-old-space-size=8192 is 8 GiB), or split the file.';

function heapShare(): number {
  return v8.getHeapStatistics().heap_size_limit * SHARE;
}

function memory(bytes: number): string {
  return `${Math.floor(bytes / 1_048_576)} MiB`;
}
