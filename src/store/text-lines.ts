import { isAscii, isUtf8 } from 'node:buffer';
import { unreadable } from './read-set.ts';

export type TextBytes =
  | {
      readonly ok: true;
      readonly bytes: Buffer;
      /** The text of a range, which must begin and end between two characters. */
      textOf(from: number, to: number): string;
    }
  | ReturnType<typeof unreadable>;

export interface TextLine {
  readonly line: number;
  readonly text: string;
}

const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/**
 * Node cannot make a string of more than 512 MiB, and no record is nearly as long.
 * @bound bytes of a line of BED, GFF3 or a list of ids @beyond the file is rejected, with the number of the line
 */
const MAX_LINE_BYTES = 16_777_216;

/** The bytes of a text. Rejects text that is not UTF-8, has lines over 16 MiB, or ends lines in CR alone. */
export function textBytes(content: string | Uint8Array): TextBytes {
  const whole =
    typeof content === 'string'
      ? Buffer.from(content)
      : Buffer.from(content.buffer, content.byteOffset, content.length);
  if (isGzip(whole)) return unreadable('The content is compressed with gzip: expand it first, or read it as a file.');
  if (!isUtf8(whole)) return unreadable('The content is not UTF-8 text: save it as UTF-8.');
  const hasMark = whole.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const bytes = hasMark ? whole.subarray(BYTE_ORDER_MARK.length) : whole;
  if (bytes.indexOf(CR) !== bytes.lastIndexOf(CR) && !bytes.includes(LF)) return unreadable(CR_ALONE);
  const long = longLine(bytes);
  if (long !== undefined) return unreadable(TOO_LONG, long);
  const encoding = isAscii(bytes) ? 'latin1' : 'utf8';
  // A slice of one big string would keep all of it in memory, and a million slices take four times as long to sort.
  return { ok: true, bytes, textOf: (from, to) => bytes.toString(encoding, from, to) };
}

/** Finds the first line that is too long, by looking at one position per 16 MiB. */
function longLine(bytes: Buffer): number | undefined {
  for (let from = 0; bytes.length - from > MAX_LINE_BYTES;) {
    const last = bytes.lastIndexOf(LF, from + MAX_LINE_BYTES);
    if (last < from) return linesBefore(bytes, from) + 1;
    from = last + 1;
  }
  return undefined;
}

function linesBefore(bytes: Buffer, end: number): number {
  let lines = 0;
  for (let from = 0; from < end; lines += 1) from = lineEnd(bytes, from).next;
  return lines;
}

/** The end of the line that begins at `from`: before its LF or CRLF, or at the end of the text. */
export function lineEnd(bytes: Buffer, from: number): { readonly end: number; readonly next: number } {
  const found = bytes.indexOf(LF, from);
  const stop = found === -1 ? bytes.length : found;
  return { end: stop > from && bytes[stop - 1] === CR ? stop - 1 : stop, next: stop + 1 };
}

export function* textLines({ bytes, textOf }: TextBytes & { readonly ok: true }): Generator<TextLine, void, undefined> {
  for (let from = 0, line = 1; from < bytes.length; line += 1) {
    const { end, next } = lineEnd(bytes, from);
    yield { line, text: textOf(from, end) };
    from = next;
  }
}

export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

const LF = 10;
const CR = 13;

const CR_ALONE = "Its lines end in CR alone, as on old Macs: end them in LF (for example with tr '\\r' '\\n').";
const TOO_LONG = `The line has more than ${MAX_LINE_BYTES} bytes, and at most as many are read: end each record with a line end.`;
