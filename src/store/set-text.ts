/** Writes a result set as the text of a file: BED, GFF3, a table, or JSON. Reading the file gives the same records. */

import {
  locationId,
  recordAt,
  STRAND_SYMBOLS,
  type ResultSet,
  everyRow,
  placeAt,
  rowsInOrder,
  type Parts,
  type ResultLocation,
} from '../plan/algebra/index.ts';
import { quote } from '../plan/text/index.ts';
import { recordJsons, resultHead } from './result-json.ts';

/** The formats that a set can be written in. @example SET_FORMATS.join(', '); // 'bed, gff3, tsv, json' */
export const SET_FORMATS = ['bed', 'gff3', 'tsv', 'json'] as const;

/** The format of a set as text. `setText` describes each. */
export type SetFormat = (typeof SET_FORMATS)[number];

/** Pieces of a text with their line ends (whole lines except in JSON), or a sentence that says why there are none. */
export type SetText =
  | { readonly ok: true; readonly lines: Iterable<string> }
  | { readonly ok: false; readonly message: string };

/**
 * Writes a result set as text.
 * - `bed`: six columns, 0-based half-open, score 0. Ordered by sequence (code units), start, end and id. A record whose
 *   id is its location has a dot as name. Every record must have a location.
 * - `gff3`: same order, 1-based. The type is the record's type if that is one word, otherwise `sequence_feature`. A
 *   record with parts has one line for each part, with its phase and a common ID. The other formats write only its
 *   span.
 * - `tsv`: a header line, then id, sequence, start, stop (1-based) and strand, plus matches if there are any. Ordered
 *   by id. A record without location has empty columns.
 * - `json`: the output of `toResultJson` in one line.
 * @example
 * const text = setText(createSet([{ id: 'g', location: { sequence: 'chr1', start: 10, stop: 20, strand: 1 } }]), 'bed');
 * if (text.ok) [...text.lines]; // ['chr1\t9\t20\tg\t0\t+\n']
 */
export function setText(set: ResultSet, format: SetFormat): SetText {
  if (format === 'json') return { ok: true, lines: jsonPieces(set) };
  const message = textProblem(set, format);
  if (message !== undefined) return { ok: false, message };
  return { ok: true, lines: LINES[format](set) };
}

type Table = Exclude<SetFormat, 'json'>;

const LINES: { readonly [format in Table]: (set: ResultSet) => Iterable<string> } = {
  *bed(set) {
    for (const { id, place, start, stop } of placedLines(set, 'whole')) {
      const { sequence, strand } = place;
      const name = id === locationId(place) ? '.' : id;
      yield `${sequence}\t${start - 1}\t${stop}\t${name}\t0\t${STRAND_SYMBOLS[strand]}\n`;
    }
  },
  *gff3(set) {
    const type = /^\w+$/.test(set.recordType ?? '') ? set.recordType : 'sequence_feature';
    yield '##gff-version 3\n';
    for (const { id, place, start, stop, phase, isPart } of placedLines(set, 'parts')) {
      const { sequence, strand } = place;
      // Lines with the same ID are the parts of one record.
      const attributes = isPart || id !== locationId(place) ? `ID=${escaped(id, NOT_IN_ATTRIBUTES)}` : '.';
      const columns = [escaped(sequence, NOT_IN_SEQUENCES), '.', type, start, stop, '.', STRAND_SYMBOLS[strand], phase];
      yield `${columns.join('\t')}\t${attributes}\n`;
    }
  },
  *tsv(set) {
    const { ids, matches } = set;
    yield `id\tsequence\tstart\tstop\tstrand${matches === undefined ? '' : '\tmatches'}\n`;
    for (let row = 0; row < ids.length; row += 1) {
      const { id, location } = recordAt(set, row);
      const place =
        location === undefined
          ? '\t\t\t'
          : `${location.sequence}\t${location.start}\t${location.stop}\t${STRAND_SYMBOLS[location.strand]}`;
      yield `${id}\t${place}${matches === undefined ? '' : `\t${matches[row]}`}\n`;
    }
  },
};

function* jsonPieces(set: ResultSet): Generator<string, void, undefined> {
  yield `${JSON.stringify(resultHead(set)).slice(0, -1)},"records":[`;
  let comma = '';
  for (const record of recordJsons(set)) {
    yield comma + JSON.stringify(record);
    comma = ',';
  }
  yield ']}\n';
}

// Characters that are escaped in column 1 of GFF3 (Sequence Ontology: GFF3 1.26).
const NOT_IN_SEQUENCES = /[^\w.:^*$@!+?|-]/gu;
// Characters that are escaped in column 9. Blanks at both ends are among them, since readers drop these.
const NOT_IN_ATTRIBUTES = /[%;=&,\p{Cc}]|^\s|\s$/gu;

function escaped(text: string, not: RegExp): string {
  return text.replace(not, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

function textProblem({ ids, locations }: ResultSet, format: Table): string | undefined {
  const isOdd = (text: string): boolean => !text.isWellFormed();
  const odd = locations?.sequences.find(isOdd) ?? ids.find(isOdd);
  if (odd !== undefined) return `${quote(odd)} has half of a surrogate pair, which no file of UTF-8 can hold.`;
  const broken = locations?.sequences.find((name) => /[\t\r\n]/.test(name));
  if (broken !== undefined) return `The sequence name ${quote(broken)} holds a tab or a line break.`;
  if (format === 'tsv') return undefined;
  const row = locations === null ? 0 : locations.sequence.indexOf(-1);
  if (ids[row] !== undefined) {
    return `The record ${quote(ids[row])} has no place, and each line of ${NAMES[format]} has one. Write tsv or json, or take the set from a source with places.`;
  }
  return format === 'bed' ? bedProblem(ids, locations?.sequences ?? []) : undefined;
}

const NAMES = { bed: 'BED', gff3: 'GFF3' } as const;

/** Rejects names that a reader would change, since BED has no escapes. */
function bedProblem(ids: readonly string[], sequences: readonly string[]): string | undefined {
  const name = sequences.find((one) => /^(?:#|(?:track|browser)(?:\s|$)|\s*$)/.test(one));
  if (name !== undefined)
    return `A line of BED that begins with the sequence name ${quote(name)} is no record. Write gff3, tsv or json.`;
  const odd = sequences.find(hasBlanksAround) ?? ids.find(hasBlanksAround);
  if (odd !== undefined)
    return `${quote(odd)} begins or ends with a blank, and blanks around a column of BED do not count. Write gff3, tsv or json.`;
  return ids.includes('.') ? 'In BED the name "." counts as none. Write gff3, tsv or json.' : undefined;
}

function hasBlanksAround(text: string): boolean {
  return /^\s|\s$/.test(text);
}

interface PlacedLine {
  readonly id: string;
  readonly place: ResultLocation;
  readonly start: number;
  readonly stop: number;
  readonly phase: 0 | 1 | 2 | '.';
  readonly isPart: boolean;
}

/** A line for each record or, with `parts`, for each part, ordered by sequence (code units), start, end and id. */
function* placedLines(set: ResultSet, pieces: 'whole' | 'parts'): Generator<PlacedLine, void, undefined> {
  if (set.locations === null) return;
  const { sequences, sequence, parts } = set.locations;
  const spans = { row: everyRow(set.ids.length), start: set.locations.start, stop: set.locations.stop };
  const inParts = new Set(pieces === 'parts' ? parts?.row : []);
  const lines = inParts.size === 0 ? { ...spans, phase: undefined } : inPieces(spans, parts!, inParts);
  const ranks = new Map(sequences.toSorted().map((name, rank) => [name, rank]));
  const rankOf = Uint32Array.from(sequences, (name) => ranks.get(name)!);
  const rank = new Uint32Array(lines.row.length);
  for (let at = 0; at < rank.length; at += 1) rank[at] = rankOf[sequence[lines.row[at]!]!]!;
  // Lines are ordered by id already, and the sort is stable.
  for (const at of rowsInOrder([rank, unsigned(lines.start), unsigned(lines.stop)])) {
    const row = lines.row[at]!;
    const phase = lines.phase?.[at] ?? -1;
    yield {
      id: set.ids[row]!,
      place: placeAt(set.locations, row)!,
      start: lines.start[at]!,
      stop: lines.stop[at]!,
      phase: phase === -1 ? '.' : (phase as 0 | 1 | 2),
      isPart: inParts.has(row),
    };
  }
}

type Columns = Omit<Parts, 'phase'>;

/** The spans of records without parts, and the parts of the other records, ordered by row. */
function inPieces(spans: Columns, parts: Parts, inParts: ReadonlySet<number>): Parts {
  const count = spans.row.length - inParts.size + parts.row.length;
  const lines = {
    ...{ row: new Int32Array(count), start: new Int32Array(count), stop: new Int32Array(count) },
    phase: new Int8Array(count).fill(-1),
  };
  let to = 0;
  let part = 0;
  for (const row of spans.row) {
    if (!inParts.has(row)) {
      lines.row[to] = row;
      lines.start[to] = spans.start[row]!;
      lines.stop[to] = spans.stop[row]!;
      to += 1;
    }
    for (; parts.row[part] === row; part += 1, to += 1) {
      lines.row[to] = row;
      lines.start[to] = parts.start[part]!;
      lines.stop[to] = parts.stop[part]!;
      lines.phase[to] = parts.phase[part]!;
    }
  }
  return lines;
}

function unsigned(column: Int32Array): Uint32Array {
  return new Uint32Array(column.buffer, column.byteOffset, column.length);
}
