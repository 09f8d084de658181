/** GFF3 features as a result set. */

import { atOnce, STRAND_OF_SYMBOL } from '../../plan/algebra/index.ts';
import type { Phase, ResultLocation, StrandSign, Steps } from '../../plan/algebra/index.ts';
import { LINES_IN_STEP } from '../in-steps.ts';
import { readSpan, type ReadSet } from '../read-set.ts';
import { textBytes, textLines } from '../text-lines.ts';
import { createTrackCollector } from './track-collector.ts';
import type { TrackOptions } from './track-collector.ts';
import { cutCharacters, quote } from '../../plan/text/index.ts';

/**
 * Reads GFF3 (Sequence Ontology: GFF3 1.26): 1-based with both ends inclusive, as in the set. The id of a feature is
 * its attribute ID, or the one that `attribute` names, where it has one, else its place. Several lines with one ID and
 * type, on one sequence and strand, are one feature: a record from its first base to its last, with each line as a part. Lines that are blank or
 * begin with `#` are passed over, and everything from `##FASTA`, or a line that begins with `>`, is no feature. Escapes
 * of `%` and two hex digits are decoded in sequence names and attributes. The strands `.` and `?` count as none. A name
 * that is left at two places is an issue, reported once.
 * @example readGff3('chr1\t.\tgene\t10\t20\t.\t+\t.\tID=gene-1\n', { id: 'name' }); // a set of gene-1 at chr1:10-20
 */
export function readGff3(content: string | Uint8Array, options: TrackOptions): ReadSet {
  return atOnce(gff3Steps(content, options));
}

export function* gff3Steps(content: string | Uint8Array, options: TrackOptions): Steps<ReadSet> {
  const text = textBytes(content);
  if (!text.ok) return text;
  const { type, attribute = 'ID' } = options;
  const collector = createTrackCollector(options, attribute, attribute === 'ID' ? ONE_FEATURE : ONE_NAME);
  const wanted = type === undefined ? undefined : new Set(type.split(',').map((one) => one.trim()));
  const types = new Map<string, number>();
  const spellings = new Map<string, string>();
  const spelled = (name: string): string => spellings.get(name) ?? (spellings.set(name, name), name);
  for (const { line, text: lineText } of textLines(text)) {
    if (line % LINES_IN_STEP === 0) yield;
    if (collector.isFull) break;
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
    const parsed = parseLine(lineText, attribute);
    if (typeof parsed === 'string') {
      collector.refuse(line, parsed);
      continue;
    }
    types.set(parsed.type, (types.get(parsed.type) ?? 0) + 1);
    if (wanted?.has(parsed.type) ?? true) {
      const { id, name, location, phase } = parsed;
      // One text for all features of a type: each line has brought its own.
      collector.add(line, name, location, id === undefined ? undefined : { id, type: spelled(parsed.type), phase });
    }
  }
  const read = yield* collector.finish();
  const missing = [...(wanted ?? [])].filter((one) => !types.has(one));
  if (!read.ok || missing.length === 0 || types.size === 0) return read;
  return { ...read, notes: [...read.notes, ...missing.map((one) => noSuchType(one, types))] };
}

const ONE_FEATURE =
  'Lines with one ID are one feature, of one type on one sequence and one strand; for the lines as they are ask for location ids';
const ONE_NAME =
  'Features that share it are not one record: choose one type of them (--type gene, type: gene), or ask for location ids';
/**
 * @bound types of features that a note names
 * @beyond counted
 */
const TYPES_NAMED = 10;
const TYPE_CHARACTERS = 40;

function noSuchType(type: string, types: ReadonlyMap<string, number>): string {
  const all = [...types].toSorted(([, one], [, other]) => other - one);
  const named = all.slice(0, TYPES_NAMED).map(([name, count]) => `${cutCharacters(name, TYPE_CHARACTERS)} (${count})`);
  const more = all.length > TYPES_NAMED ? ` and ${all.length - TYPES_NAMED} more` : '';
  return `No feature is of type ${quote(type)}. The file has ${named.join(', ')}${more}.`;
}

interface Line {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly type: string;
  readonly location: ResultLocation;
  readonly phase: Phase | undefined;
}

/** The feature of a line, or the fault of the line. */
function parseLine(text: string, attribute: string): Line | string {
  const columns = text.split('\t');
  const [
    sequenceText = '',
    ,
    type = '',
    startText = '',
    stopText = '',
    ,
    strandText = '',
    phaseText = '',
    attributes = '',
  ] = columns;
  if (columns.length !== 9) {
    return `A GFF3 line has 9 columns, parted by tabs (a dot for what is absent); this one has ${columns.length}.`;
  }
  const sequence = unescaped(sequenceText);
  if (sequence === undefined) return badEscape('sequence name (column 1)', sequenceText);
  if (sequence === '' || sequence === '.') return 'The first column, the sequence name, is empty.';
  const span = readSpan('GFF3', 1, ['start (column 4)', startText], ['end (column 5)', stopText]);
  if (typeof span === 'string') return span;
  const strand = STRANDS.get(strandText);
  if (strand === undefined) {
    return `The strand (column 7) is ${JSON.stringify(strandText)}; expected +, -, or a dot or a question mark for none.`;
  }
  if (!PHASES.has(phaseText)) {
    return `The phase (column 8) is ${JSON.stringify(phaseText)}; expected 0, 1, 2, or a dot for none.`;
  }
  const parts = attributes.split(';');
  const odd = attributes === '.' ? undefined : parts.find((part) => part.trim() !== '' && !part.includes('='));
  if (odd !== undefined)
    return `The attributes (column 9) have ${quote(cutCharacters(odd.trim(), TYPE_CHARACTERS))}, and GFF3 writes key=value; key "value" is GTF. Convert it to GFF3 (for example with gffread) or to BED.`;
  const id = attributeOf(parts, 'ID');
  if (typeof id === 'object') return id.problem;
  const name = attribute === 'ID' ? id : attributeOf(parts, attribute);
  if (typeof name === 'object') return name.problem;
  return { id, name, type, location: { sequence, ...span, strand }, phase: PHASES.get(phaseText) };
}

/** The value of an attribute, undefined where there is none or it is empty. */
function attributeOf(parts: readonly string[], name: string): string | undefined | { readonly problem: string } {
  const [found, another] = parts.map((part) => part.trimStart()).filter((part) => part.startsWith(`${name}=`));
  if (another !== undefined) return { problem: `The attribute ${name} stands there twice; a feature has one.` };
  const text = found?.slice(name.length + 1);
  const value = text === undefined ? undefined : unescaped(text);
  if (text !== undefined && value === undefined) return { problem: badEscape(`attribute ${name}`, text) };
  return value === '' ? undefined : value;
}

/** GFF3: a question mark is a strand that matters and is not known. */
const STRANDS: ReadonlyMap<string, StrandSign> = new Map([...STRAND_OF_SYMBOL, ['?', 0]]);

const PHASES: ReadonlyMap<string, Phase | undefined> = new Map([
  ['.', undefined],
  ['0', 0],
  ['1', 1],
  ['2', 2],
]);

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
