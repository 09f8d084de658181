import { atOnce, STRAND_OF_SYMBOL } from '../../plan/algebra/index.ts';
import type { ResultLocation, Steps, StrandSign } from '../../plan/algebra/index.ts';
import { LINES_IN_STEP } from '../in-steps.ts';
import { headingProblem, isPassedOver, readSpan, SKIP, type ReadSet } from '../read-set.ts';
import { createBedScan } from './scan-bed.ts';
import { lineEnd, textBytes } from '../text-lines.ts';
import { createTrackCollector } from './track-collector.ts';
import type { TrackOptions } from './track-collector.ts';

/**
 * Reads BED with 3 to 12 columns: 0-based half-open in the text, 1-based with both ends inclusive in the set. Blank
 * lines and lines that start with `#`, `track` or `browser` are ignored. Columns are separated by tabs, or by spaces in
 * a line without tabs, and trimmed. The name `.` means none, as do the strands `.`, `*` and none. Blocks are read as
 * one span, with a note. Lines with one id and one place are one record; an id at two places is an issue, reported
 * once.
 * @example readBed('chr1\t9\t20\texon-1\n', { id: 'name' }); // a set of exon-1 at chr1:10-20
 */
export function readBed(content: string | Uint8Array, options: TrackOptions): ReadSet {
  return atOnce(bedSteps(content, options));
}

export function* bedSteps(content: string | Uint8Array, options: TrackOptions): Steps<ReadSet> {
  const text = textBytes(content);
  if (!text.ok) return text;
  const { bytes, textOf } = text;
  const { attribute: _, ...own } = options;
  const collector = createTrackCollector(own, 'name', 'A record has one place: ask for location ids');
  const isPlain = (name: string) => !isPassedOver(name) && name.trim() === name;
  const scan = createBedScan(bytes, (name) => (isPlain(name) ? collector.sequenceNumber(name) : -1));
  let isFirst = true;
  for (let from = 0, line = 1; from < bytes.length && !collector.isFull; line += 1) {
    if (line % LINES_IN_STEP === 0) yield;
    if (scan.read(from)) {
      const name = scan.nameTo === 0 ? undefined : textOf(scan.nameFrom, scan.nameTo);
      if (collector.addChecked(line, name, scan.sequence, scan.start + 1, scan.stop, scan.strand)) {
        if (scan.isWide && BLOCKS.test(textOf(from, scan.next))) collector.simplify(line, AS_ONE_SPAN);
        from = scan.next;
        isFirst = false;
        continue;
      }
    }
    const { end, next } = lineEnd(bytes, from);
    const lineText = textOf(from, end);
    from = next;
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
