/** Writes a result set as the text of a file: BED, GFF3, a table, or JSON. Reading the file gives the same records. */

import {
  locationId,
  recordAt,
  STRAND_SYMBOLS,
  type ResultSet,
  locationAt,
  rowsInOrder,
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
 * - `gff3`: same order, 1-based. The type is the record's type if that is one word, otherwise `sequence_feature`.
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
    for (const { id, place } of placedLines(set)) {
      const { sequence, start, stop, strand } = place;
      const name = id === locationId(place) ? '.' : id;
      yield `${sequence}\t${start - 1}\t${stop}\t${name}\t0\t${STRAND_SYMBOLS[strand]}\n`;
    }
  },
  *gff3(set) {
    const type = /^\w+$/.test(set.recordType ?? '') ? set.recordType : 'sequence_feature';
    yield '##gff-version 3\n';
    for (const { id, place } of placedLines(set)) {
      const { sequence, start, stop, strand } = place;
      const attributes = id !== locationId(place) ? `ID=${escaped(id, NOT_IN_ATTRIBUTES)}` : '.';
      const columns = [escaped(sequence, NOT_IN_SEQUENCES), '.', type, start, stop, '.', STRAND_SYMBOLS[strand], '.'];
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
}

/** The records, ordered by sequence (code units), start, end and id. */
function* placedLines({ ids, locations }: ResultSet): Generator<PlacedLine, void, undefined> {
  if (locations === null) return;
  const { sequences, sequence, start, stop } = locations;
  const ranks = new Map(sequences.toSorted().map((name, rank) => [name, rank]));
  const rankOf = Uint32Array.from(sequences, (name) => ranks.get(name)!);
  // Records are already ordered by id, and the sort is stable.
  for (const row of rowsInOrder([Uint32Array.from(sequence, (at) => rankOf[at]!), unsigned(start), unsigned(stop)]))
    yield { id: ids[row]!, place: locationAt(locations, row)! };
}

function unsigned(column: Int32Array): Uint32Array {
  return new Uint32Array(column.buffer, column.byteOffset, column.length);
}
