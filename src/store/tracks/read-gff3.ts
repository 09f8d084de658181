import {
  atOnce,
  type ResultSet,
  type Steps,
  STRAND_OF_SYMBOL,
  type ResultLocation,
  type StrandSign,
} from '../../plan/algebra/index.ts';
import { cutCharacters, quote } from '../../plan/text/index.ts';
import { LINES_IN_STEP } from '../in-lines.ts';
import { headingProblem, isPassedOver, unreadable, type ReadSet, readSpan } from '../read-set.ts';
import { textBytes, textLines } from '../text-lines.ts';
import { createTrackCollector, type TrackOptions } from './track-collector.ts';

/**
 * Reads GFF3 (Sequence Ontology: GFF3 1.26): 1-based, both ends inclusive. The id of a feature is its attribute ID, or
 * the attribute that `attribute` names, otherwise its location. Lines with the same ID, type, sequence and strand are
 * one feature: a record from its first to its last base. Blank lines and lines that start
 * with `#` are ignored. So is everything after `##FASTA` or a line that starts with `>`; a note counts lines there that
 * look like features. Columns are trimmed. `%` escapes in sequence names and attributes are decoded. The strands `.`,
 * `?`, `*` and none mean no strand; the phases `.`, `-` and none mean no phase. An id at two locations is one issue.
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
  const circles = new Map<string, number>();
  let read = 0;
  let isSequence = false;
  let isFirst = true;
  const spelled = (name: string): string => spellings.get(name) ?? (spellings.set(name, name), name);
  for (const { line, text: lineText } of textLines(text)) {
    if (line % LINES_IN_STEP === 0) yield;
    if (collector.isFull) break;
    if (isSequence) {
      if (FEATURE.test(lineText)) collector.simplify(line, BEHIND_SEQUENCES);
      continue;
    }
    if (/^(?:##FASTA\s*$|>)/.test(lineText)) isSequence = true;
    if (lineText.startsWith('>') && FEATURE.test(lineText)) collector.simplify(line, BEHIND_SEQUENCES);
    const version = lineText.startsWith('##') && /^##gff-version\s+(\S+)/.exec(lineText)?.[1];
    if (typeof version === 'string' && !/^3(?:\.|$)/.test(version)) return unreadable(otherVersion(version), line);
    if (isSequence || isPassedOver(lineText)) continue;
    const columns = lineText.split('\t').map((column) => column.trim());
    const heading = isFirst ? headingProblem(columns[3] ?? '', columns[4] ?? '') : undefined;
    isFirst = false;
    if (heading !== undefined) {
      collector.omit(line, heading);
      continue;
    }
    const parsed = parseFeature(columns, attribute);
    if (typeof parsed === 'string') {
      collector.refuse(line, parsed);
      continue;
    }
    read += 1;
    if (parsed.isCircular && parsed.location.start === 1) circles.set(parsed.location.sequence, parsed.location.stop);
    types.set(parsed.type, (types.get(parsed.type) ?? 0) + 1);
    if (wanted?.has(parsed.type) ?? true) {
      const { id, name, location } = parsed;
      if (parsed.hasLooseWords) collector.simplify(line, LOOSE_WORDS);
      if (columns.length > 9 && columns.slice(9).some((column) => column !== '')) collector.simplify(line, WIDE);
      // The type is interned, since otherwise each line has its own copy.
      collector.add(line, name, location, id === undefined ? undefined : { id, type: spelled(parsed.type) });
    }
  }
  const result = yield* collector.finish(read);
  if (!result.ok) return result;
  const missing = types.size === 0 ? [] : [...(wanted ?? [])].filter((one) => !types.has(one));
  const own = [...missing.map((one) => noSuchType(one, types)), ...circularNotes(result.set, circles)];
  return { ...result, notes: [...result.notes, ...own] };
}

const FEATURE = /^[^\t]+\t[^\t]*\t[^\t]*\t *\d+ *\t *\d+ *\t/;
const LOOSE_WORDS = 'words without "=" in column 9: such a word is a flag, or belongs to the value before it';
const WIDE = 'more than 9 columns: those behind the ninth are not read';
const BEHIND_SEQUENCES = 'a feature behind ##FASTA or a line with ">" is not read; put features first';

function otherVersion(version: string): string {
  return `The file says that it is GFF version ${cutCharacters(version, 20)}; version 3 is read here. Convert it to GFF3.`;
}

const ONE_FEATURE =
  'Lines with one ID are one feature, of one type on one sequence and one strand; for the lines as they are ask for location ids';
const ONE_NAME =
  'Features that share it are not one record: choose one type of them (type: gene), or ask for location ids';
const TYPES_NAMED = 10;
const TYPE_CHARACTERS = 40;

function noSuchType(type: string, types: ReadonlyMap<string, number>): string {
  const all = [...types].toSorted(([, one], [, other]) => other - one);
  const named = all.slice(0, TYPES_NAMED).map(([name, count]) => `${cutCharacters(name, TYPE_CHARACTERS)} (${count})`);
  const more = all.length > TYPES_NAMED ? ` and ${all.length - TYPES_NAMED} more` : '';
  return `No feature is of type ${quote(type)}. The file has ${named.join(', ')}${more}.`;
}

function circularNotes({ ids, locations }: ResultSet, circles: ReadonlyMap<string, number>): readonly string[] {
  if (locations === null || circles.size === 0) return [];
  const { sequences, sequence, stop } = locations;
  const ends = sequences.map((name) => circles.get(name) ?? Infinity);
  const beyond = ids.filter((_, row) => stop[row]! > ends[sequence[row]!]!);
  if (beyond.length === 0) return [];
  const records = beyond.length === 1 ? '1 record reaches' : `${beyond.length} records reach`;
  return [`${records} beyond the end of a circular sequence (the first is ${quote(beyond[0]!)}): ${NOT_ROUND}`];
}

const NOT_ROUND = 'what lies beyond it is not taken on at base 1, so the record meets nothing there.';

interface FeatureLine {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly type: string;
  readonly location: ResultLocation;
  /** Column 9 contains text that is not `key=value`. */
  readonly hasLooseWords: boolean;
  readonly isCircular: boolean;
}

/** Parses a line. Returns its problem as text. @param columns the columns, trimmed */
function parseFeature(columns: readonly string[], attribute: string): FeatureLine | string {
  const [seqid = '', , type = '', startText = '', stopText = '', , sign = '', frame = '', attributes = ''] = columns;
  if (columns.length < 8) {
    return `A GFF3 line has 9 columns, parted by tabs (a dot for what is absent); this one has ${columns.length}.`;
  }
  const sequence = unescaped(seqid);
  if (sequence === undefined) return badEscape('sequence name (column 1)', seqid);
  if (sequence === '' || sequence === '.') return 'The first column, the sequence name, is empty.';
  const span = readSpan('GFF3', 1, ['start (column 4)', startText], ['end (column 5)', stopText]);
  if (typeof span === 'string') return span;
  const strand = STRANDS.get(sign);
  if (strand === undefined) {
    return `The strand (column 7) is ${quote(sign)}; expected +, -, or a dot or a question mark for none.`;
  }
  if (!PHASE.test(frame)) {
    return `The phase (column 8) is ${quote(frame)}; expected 0, 1, 2, or a dot for none.`;
  }
  const { pairs, loose } = readAttributes(attributes);
  const odd = pairs.length > 0 ? undefined : loose.find((words) => /\s/.test(words));
  if (odd !== undefined)
    return `The attributes (column 9) have ${quote(odd)}, and GFF3 writes key=value; key "value" is GTF. Convert it to GFF3 (for example with gffread) or to BED.`;
  const id = attributeOf(pairs, 'ID');
  if (typeof id === 'object') return id.problem;
  const name = attribute === 'ID' ? id : attributeOf(pairs, attribute);
  if (typeof name === 'object') return name.problem;
  const isCircular =
    attributes.includes('Is_circular') && pairs.some(([key, value]) => key === 'Is_circular' && /^true$/i.test(value));
  const location = { sequence, ...span, strand };
  return { id, name, type, location, hasLooseWords: loose.length > 0, isCircular };
}

interface Attributes {
  readonly pairs: readonly (readonly [key: string, value: string])[];
  readonly loose: readonly string[];
}

/**
 * Splits column 9 into attributes. A semicolon in a value is often not escaped: `Note=a; b`. A single word directly
 * after a semicolon is a flag, such as `;pseudo`. Other words belong to the previous value, unless that is the ID.
 */
function readAttributes(text: string): Attributes {
  const pairs: [key: string, value: string][] = [];
  const loose: string[] = [];
  for (const part of text === '.' ? [] : text.split(';')) {
    const to = part.indexOf('=');
    const key = part.slice(0, Math.max(to, 0)).trim();
    if (to !== -1 && !key.includes('"')) {
      pairs.push([key, part.slice(to + 1).trim()]);
      continue;
    }
    if (part.trim() === '') continue;
    loose.push(part.trim());
    const before = pairs.at(-1);
    if (before !== undefined && before[0] !== 'ID' && !/^\S+\s*$/.test(part)) before[1] += `;${part.trimEnd()}`;
  }
  return { pairs, loose };
}

function attributeOf(pairs: Attributes['pairs'], name: string): string | undefined | { readonly problem: string } {
  const [found, another] = pairs.filter(([key]) => key === name);
  if (another !== undefined) return { problem: `The attribute ${name} stands there twice; a feature has one.` };
  const value = found && unescaped(found[1]);
  if (found !== undefined && value === undefined) return { problem: badEscape(`attribute ${name}`, found[1]) };
  return value === '' ? undefined : value;
}

/** The strands in GFF3. A question mark means a strand that matters but is unknown. */
const STRANDS: ReadonlyMap<string, StrandSign> = new Map([...STRAND_OF_SYMBOL, ['?', 0], ['*', 0], ['', 0]]);

const PHASE = /^[.\-012]?$/;

/** Decodes escapes; undefined if they are not UTF-8. A `%` without two hex digits stays as it is. */
function unescaped(text: string): string | undefined {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text.replace(/%(?![0-9A-Fa-f]{2})/g, '%25'));
  } catch {
    return undefined;
  }
}

function badEscape(where: string, text: string): string {
  return `The ${where} is ${quote(text)}; its escapes are no UTF-8. Write the characters themselves, or the escapes of their UTF-8 bytes.`;
}
