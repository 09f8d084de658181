/** Reads a plain line of BED directly from bytes: a valid record with tabs. Other lines go to the text reader. */

import { MAX_POSITION } from '../../plan/algebra/index.ts';
import type { StrandSign } from '../../plan/algebra/index.ts';

/** The columns of the last line. Positions are 0-based half-open, as in the file. */
export interface BedScan {
  /** Reads the line at `from` and returns whether it is plain. Otherwise the fields below are invalid. */
  read(from: number): boolean;
  readonly next: number;
  readonly sequence: number;
  readonly start: number;
  readonly stop: number;
  readonly strand: StrandSign;
  /** The range of the name in bytes; both ends are 0 without a name. */
  readonly nameFrom: number;
  readonly nameTo: number;
  readonly isWide: boolean;
}

const TAB = 9;
const LF = 10;
const CR = 13;
const DOT = 46;
const ZERO = 48;
const STRANDS = new Map<number | undefined, StrandSign>([
  [43, 1],
  [45, -1],
  [DOT, 0],
]);

/** @param numberOf returns the number of a sequence by its name; -1 if this scan cannot read lines of that sequence */
export function createBedScan(bytes: Buffer, numberOf: (name: string) => number): BedScan {
  const sequences = createNameTable(bytes, numberOf);
  let at = 0;
  const place = { sequence: 0, start: 0, stop: 0, strand: 0 as StrandSign };
  const scan = { read, next: 0, ...place, nameFrom: 0, nameTo: 0, isWide: false };
  return scan;

  function read(from: number): boolean {
    at = from;
    let hash = 0;
    for (let byte = bytes[at]!; byte > CR; byte = bytes[++at]!) hash = (Math.imul(hash, 31) + byte) | 0;
    if (at === from || bytes[at] !== TAB) return false;
    scan.sequence = sequences(from, at, hash);
    if (scan.sequence === -1) return false;
    at += 1;
    scan.start = readPosition();
    if (scan.start === -1 || bytes[at] !== TAB) return false;
    at += 1;
    scan.stop = readPosition();
    if (scan.stop <= scan.start) return false;
    scan.nameFrom = 0;
    scan.nameTo = 0;
    scan.strand = 0;
    scan.isWide = false;
    return readLineEnd() || (readName() && (readLineEnd() || (readScore() && (readLineEnd() || readStrand()))));
  }

  /** The integer at the current position; -1 if there is none or it is too large. */
  function readPosition(): number {
    const from = at;
    let position = 0;
    for (let digit = bytes[at]! - 48; digit >= 0 && digit <= 9; digit = bytes[++at]! - 48)
      position = position * 10 + digit;
    const isOdd = at === from || (at - from > 1 && bytes[from] === ZERO) || at - from > 10;
    return isOdd || position > MAX_POSITION ? -1 : position;
  }

  /** Reads a name that needs no trimming: it starts and ends with a letter, a digit or an ASCII sign. */
  function readName(): boolean {
    if (bytes[at++] !== TAB) return false;
    const from = at;
    for (let byte = bytes[at]!; byte > CR; byte = bytes[++at]!);
    if (at === from) return true;
    if (at === from + 1 && bytes[from] === DOT) return true;
    scan.nameFrom = from;
    scan.nameTo = at;
    return [bytes[from]!, bytes[at - 1]!].every((byte) => byte > 32 && byte < 127);
  }

  function readScore(): boolean {
    if (bytes[at++] !== TAB) return false;
    for (let byte = bytes[at]!; byte > CR; byte = bytes[++at]!);
    return true;
  }

  function readStrand(): boolean {
    const strand = bytes[at] === TAB ? STRANDS.get(bytes[at + 1]) : undefined;
    if (strand === undefined) return false;
    scan.strand = strand;
    at += 2;
    if (readLineEnd()) return true;
    if (bytes[at] !== TAB) return false;
    scan.isWide = true;
    const found = bytes.indexOf(LF, at);
    scan.next = found === -1 ? bytes.length : found + 1;
    return true;
  }

  function readLineEnd(): boolean {
    const end = bytes[at] === CR ? at + 1 : at;
    if (bytes[end] !== LF && end !== bytes.length) return false;
    scan.next = end + 1;
    return true;
  }
}

/** A cache of sequence names and their numbers, which finds names by hash and compares bytes. */
function createNameTable(
  bytes: Buffer,
  numberOf: (name: string) => number,
): (from: number, to: number, hash: number) => number {
  const known = new Map<number, { readonly name: Buffer; readonly number: number }>();
  return (from, to, hash) => {
    const entry = known.get(hash);
    if (entry !== undefined && isAt(entry.name, from, to)) return entry.number;
    const number = numberOf(bytes.toString('utf8', from, to));
    if (entry === undefined) known.set(hash, { name: bytes.subarray(from, to), number });
    return number;
  };

  function isAt(name: Buffer, from: number, to: number): boolean {
    if (name.length !== to - from) return false;
    for (let at = 0; at < name.length; at += 1) if (name[at] !== bytes[from + at]) return false;
    return true;
  }
}
