/** GFF3 features as a result set. */

import { MAX_POSITION } from '../algebra/index.ts';
import type { ResultLocation, StrandSign } from '../algebra/index.ts';
import type { ReadSet } from './read-set.ts';
import { textBytes, textLines } from './text-lines.ts';
import { createTrackCollector } from './track-collector.ts';
import type { TrackOptions } from './track-collector.ts';

/**
 * Reads GFF3 (Sequence Ontology: GFF3 1.26): 1-based with both ends inclusive, as in the set. The id of a feature is
 * its ID attribute where it has one, else its place. Lines that are blank or begin with `#` are passed over, and
 * everything from `##FASTA`, or a line that begins with `>`, is no feature. Escapes of `%` and two hex digits are
 * decoded in sequence names and IDs. The strands `.` and `?` count as none. Features with one id and one place are one
 * record; a feature of several lines has no one place, and is an issue, reported once.
 * @example readGff3('chr1\t.\tgene\t10\t20\t.\t+\t.\tID=gene-1\n', { id: 'name' }); // a set of gene-1 at chr1:10-20
 */
export function readGff3(content: string | Uint8Array, options: TrackOptions): ReadSet {
  const text = textBytes(content);
  if (!text.ok) return text;
  const collector = createTrackCollector(
    options,
    'ID',
    'A record has one place, and a feature of several lines has many',
  );
  for (const { line, text: lineText } of textLines(text)) {
    if (lineText.startsWith('##FASTA') || lineText.startsWith('>')) break;
    if (lineText.startsWith('#')) {
      const version = /^##gff-version\s+(\S+)/.exec(lineText)?.[1];
      if (version !== undefined && !/^3(?:\.|$)/.test(version)) {
        collector.refuse(
          line,
          `The file says that it is GFF version ${version}; version 3 is read here. Convert it to GFF3.`,
        );
      }
      continue;
    }
    if (lineText.trim() === '') continue;
    const parsed = parseLine(lineText);
    if (typeof parsed === 'string') collector.refuse(line, parsed);
    else collector.add(line, parsed.id, parsed.location);
  }
  return collector.finish();
}

interface Feature {
  readonly id: string | undefined;
  readonly location: ResultLocation;
}

/** The feature of a line, or what is wrong with the line. */
function parseLine(text: string): Feature | string {
  const columns = text.split('\t');
  const [sequenceText = '', , , startText = '', stopText = '', , strandText = '', , attributes = ''] = columns;
  if (columns.length !== 9) {
    return `A GFF3 line has 9 columns, parted by tabs (a dot for what is absent); this one has ${columns.length}.`;
  }
  const sequence = unescaped(sequenceText);
  if (sequence === undefined) return badEscape('sequence name (column 1)', sequenceText);
  if (sequence === '' || sequence === '.') return 'The first column, the sequence name, is empty.';
  const start = parsePosition(startText);
  const stop = parsePosition(stopText);
  if (start === undefined || stop === undefined) {
    const [column, got] = start === undefined ? ['start (column 4)', startText] : ['end (column 5)', stopText];
    return `The ${column} is ${JSON.stringify(got)}; expected an integer from 1 to ${MAX_POSITION}.`;
  }
  if (start > stop) {
    return `The start ${start} is past the end ${stop}. GFF3 gives the smaller one first on both strands.`;
  }
  const strand = STRANDS.get(strandText);
  if (strand === undefined) {
    return `The strand (column 7) is ${JSON.stringify(strandText)}; expected +, -, or a dot or a question mark for none.`;
  }
  const ids = attributes
    .split(';')
    .map((part) => part.trimStart())
    .filter((part) => part.startsWith('ID='));
  if (ids.length > 1) return 'The attribute ID stands there twice; a feature has one.';
  const idText = ids[0]?.slice('ID='.length);
  const id = idText === undefined ? undefined : unescaped(idText);
  if (idText !== undefined && id === undefined) return badEscape('attribute ID', idText);
  return { id: id === '' ? undefined : id, location: { sequence, start, stop, strand } };
}

const STRANDS: ReadonlyMap<string, StrandSign> = new Map([
  ['+', 1],
  ['-', -1],
  ['.', 0],
  ['?', 0],
]);

function parsePosition(text: string): number | undefined {
  if (!/^\d{1,10}$/.test(text)) return undefined;
  const position = Number(text);
  return position >= 1 && position <= MAX_POSITION ? position : undefined;
}

/** Undefined where the escapes are no UTF-8. A `%` without two hex digits stands for itself. */
function unescaped(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text.replace(/%(?![0-9A-Fa-f]{2})/g, '%25'));
  } catch {
    return undefined;
  }
}

function badEscape(where: string, text: string): string {
  return `The ${where} is ${JSON.stringify(text)}; its escapes are no UTF-8. Write the characters themselves, or the escapes of their UTF-8 bytes.`;
}
