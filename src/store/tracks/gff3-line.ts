import { STRAND_OF_SYMBOL } from '../../plan/algebra/index.ts';
import type { CodonPhase, ResultLocation, StrandSign } from '../../plan/algebra/index.ts';
import { quote } from '../../plan/text/index.ts';
import { readSpan } from '../read-set.ts';

export interface FeatureLine {
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly type: string;
  readonly location: ResultLocation;
  readonly phase: CodonPhase | undefined;
  /** Column 9 contains text that is not `key=value`. */
  readonly hasLooseWords: boolean;
  readonly isCircular: boolean;
}

/** Parses a line. Returns its problem as text. @param columns trimmed columns */
export function parseFeature(columns: readonly string[], attribute: string): FeatureLine | string {
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
  if (!PHASES.has(frame)) {
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
  return { id, name, type, location, phase: PHASES.get(frame), hasLooseWords: loose.length > 0, isCircular };
}

interface Attributes {
  readonly pairs: readonly (readonly [key: string, value: string])[];
  readonly loose: readonly string[];
}

/**
 * Splits column 9 into attributes. Often a semicolon in a value is not escaped: `Note=a; b`. A single word right after
 * a semicolon is a flag, such as `;pseudo`. Other words belong to the value before them, unless that is the ID.
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

/** Strands in GFF3, in which a question mark is a strand that matters but is unknown. */
const STRANDS: ReadonlyMap<string, StrandSign> = new Map([...STRAND_OF_SYMBOL, ['?', 0], ['*', 0], ['', 0]]);

const PHASES: ReadonlyMap<string, CodonPhase | undefined> = new Map([
  ['.', undefined],
  ['-', undefined],
  ['', undefined],
  ['0', 0],
  ['1', 1],
  ['2', 2],
]);

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
