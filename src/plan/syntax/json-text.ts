import { parseTree, printParseErrorCode, type Node, type ParseError } from 'jsonc-parser';
import { jsonrepair } from 'jsonrepair';
import { quote } from '../text/index.ts';
import { ROOT, below, type IssueDetail, type Place } from '../issues/index.ts';
import { FILE_LIMITS } from '../limits.ts';

/** A problem of a JSON text that JSON.parse accepts. Offsets count UTF-16 units from 0. */
export interface JsonFlaw {
  readonly code: 'duplicate-key' | 'inexact-number';
  readonly place: Place;
  readonly offset: number;
  readonly text: string;
}

/** A position where a text is not JSON. `what` says what is wrong. */
export interface JsonFault {
  readonly offset: number;
  readonly what: string;
}

const quoted = (open: string, close = open) =>
  String.raw`${open}[^${close}\\]*(?:\\(?:[^]|$)[^${close}\\]*)*(?:${close}|$)`;
/** Matches a text in any quotes, a comment, a bracket, or a word, in linear time even if a text is not closed. */
const TOKEN = new RegExp(
  [
    ...[quoted('"'), quoted("'"), quoted('`'), quoted('“', '”'), quoted('‘', '’')],
    String.raw`\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|[{}[\]]|[^\s,:{}[\]"]+`,
  ].join('|'),
  'g',
);
const TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"/g;
const ODD_NUMBER = /[\d.]{16}|\b\d+(?:\.\d+)?e[-+]?\d{3}/i;

/** Parses a JSON text and lists its problems; undefined if the text is not JSON or has too many levels. */
export function parseJson(text: string, levels: number): { value: unknown; flaws: readonly JsonFlaw[] } | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const members = countMembers(value, levels);
  if (Number.isNaN(members)) return undefined;
  const isSound = !ODD_NUMBER.test(text) && text.replace(TEXT, '').split(':').length - 1 === members;
  const flaws = isSound ? [] : flawsIn(text);
  return flaws && { value, flaws };
}

/** Parses a JSON text without repeated keys and inexact numbers; undefined for any other text. */
export function exactJson(text: string): unknown {
  const read = parseJson(text, FILE_LIMITS.valueDepth);
  return read?.flaws.length === 0 ? read.value : undefined;
}

/** A sentence about the first part that other readers of a JSON text may read differently; undefined if none. */
export function jsonFlaw(text: string): string | undefined {
  const [flaw] = parseJson(text, FILE_LIMITS.depth)?.flaws ?? [];
  return flaw && (flaw.code === 'duplicate-key' ? duplicateKey : inexactNumber)(flaw.text).message;
}

/** The number of members in all objects of a value; NaN if the value has too many levels. */
function countMembers(value: unknown, levels: number): number {
  if (typeof value !== 'object' || value === null) return 0;
  if (levels === 0) return Number.NaN;
  const inside: readonly unknown[] = Object.values(value);
  let count = Array.isArray(value) ? 0 : inside.length;
  for (const each of inside) count += countMembers(each, levels - 1);
  return count;
}

function flawsIn(text: string): readonly JsonFlaw[] | undefined {
  const flaws: JsonFlaw[] = [];
  const find = (code: JsonFlaw['code'], place: Place, { offset }: Node, found: string) =>
    flaws.push({ code, place, offset, text: found });
  const visit = (node: Node, place: Place): void => {
    const { type, offset, length, children = [] } = node;
    const written = text.slice(offset, offset + length);
    if (type === 'number' && !isExact(written)) find('inexact-number', place, node, written);
    if (type === 'array') for (const [index, each] of children.entries()) visit(each, below(place, index));
    if (type !== 'object') return;
    const keys = new Set<string>();
    for (const { children: [key, member] = [] } of children) {
      const name = key!.value as string;
      if (keys.has(name)) find('duplicate-key', below(place, name), key!, name);
      keys.add(name);
      visit(member!, below(place, name));
    }
  };
  const root = treeOf(text);
  if (root === undefined) return undefined;
  visit(root, ROOT);
  return flaws;
}

export function treeOf(text: string, errors?: ParseError[]): Node | undefined {
  try {
    return parseTree(text, errors, { disallowComments: true });
  } catch {
    return undefined;
  }
}

/** Whether a JavaScript number can have exactly the value of this text. */
export function isExact(written: string): boolean {
  return written.length <= MAX_EXACT && decimal(written) === decimal(`${Number(written)}`);
}

/** Maximum characters of a number that is compared, which takes quadratic time. Longer ones count as inexact. */
const MAX_EXACT = 100;

/** Converts all spellings of a number to one text: its digits without outer zeros, and a power of ten. */
function decimal(written: string): string {
  const text = /^[-+]?0[xo]/i.test(written) ? `${BigInt(written.replace(/^[-+]/, ''))}` : written;
  const [, whole = '', part = '', power = '0'] = /^[-+]?(\d*)\.?(\d*)(?:e([-+]?\d+))?$/i.exec(text) ?? [];
  const digits = `${whole}${part}`.replace(/^0+/, '');
  const short = digits.replace(/0+$/, '');
  return short === '' ? '0' : `${short}e${Number(power) - part.length + digits.length - short.length}`;
}

export function duplicateKey(key: string): IssueDetail {
  const got = quote(key);
  return { message: `The object has the key ${got} more than once, and only one of them can count. Keep one.`, got };
}

export function inexactNumber(written: string): IssueDetail {
  const got = quote(written);
  const message = `The number ${got} is not kept exactly; it becomes ${Number(written)}. Write it in quotes.`;
  return { message, expected: 'a number of at most 15 digits', got };
}

/**
 * Finds where the bracket at `start` closes, or where the text has more than `maxDepth` levels. Brackets inside texts
 * and comments do not count. The text need not be valid JSON.
 */
export function closingOf(text: string, start: number, maxDepth: number): { end?: number; tooDeep?: number } {
  let levels = 0;
  for (const { 0: found, index } of text.slice(start).matchAll(TOKEN)) {
    if ((found === '{' || found === '[') && ++levels > maxDepth) return { tooDeep: start + index };
    if ((found === '}' || found === ']') && --levels <= 0) return { end: start + index + 1 };
  }
  return {};
}

/** The positions of errors in a JSON text, at least one. Errors that earlier errors cause are left out. */
export function faultsIn(text: string): readonly JsonFault[] {
  const errors: ParseError[] = [];
  if (treeOf(text, errors) === undefined) return [{ offset: 0, what: 'more levels than can be read' }];
  const own = errors.filter(
    ({ error, offset }, at) =>
      offset !== errors[at - 1]?.offset && (!FOLLOWS.test(parseErrorName(error)) || comesAfterComma(offset)),
  );
  return (own.length === 0 ? errors.slice(0, 1) : own).map(({ error, offset }) => ({
    offset,
    what: parseErrorName(error)
      .replace(/\B[A-Z]/g, ' $&')
      .toLowerCase(),
  }));

  function comesAfterComma(offset: number): boolean {
    return /,\s*$/.test(text.slice(Math.max(0, offset - 100), offset));
  }
}

const parseErrorName = (error: number) => printParseErrorCode(error);
const FOLLOWS = /^(?:PropertyName|Value)Expected$/;

/** Maximum number of syntax errors to repair. The time of jsonrepair grows with errors times length. */
const MAX_FAULTS = 200;
const MAX_WORK = 2_000_000;

/** Repairs a text to JSON, if that needs no guess: no content may be lost or added. */
export function mendJson(text: string, faults: readonly JsonFault[]): string | undefined {
  const tokens = [...text.matchAll(TOKEN)];
  const words = tokens.map(([word]) => word);
  // Counts texts without a comma between them, since the parser may report several as one error.
  const beside = tokens.filter(({ 0: word, index }, at) => {
    const last = tokens[at - 1];
    const isText = last !== undefined && !/^[{}[\]/]/.test(word) && !/^[{}[\]/]/.test(last[0]);
    return isText && !/[,:]/.test(text.slice(last.index + last[0].length, index));
  });
  const work = Math.max(faults.length, beside.length) * text.length;
  if (faults.length > MAX_FAULTS || work > MAX_WORK || words.some(isNoNumber)) return undefined;
  const isCut = tokens.some(({ 0: word, index }) => /^['`“‘]/.test(word) && /\w/.test(text[index + word.length] ?? ''));
  try {
    const repaired = jsonrepair(text);
    JSON.parse(repaired);
    // jsonrepair would turn an apostrophe in a single-quoted text into a quote.
    if (isCut && repaired.split('\\"').length > text.split('\\"').length) return undefined;
    if (COLON_VALUE.test(repaired) && !COLON_VALUE.test(text)) return undefined;
    return meaningfulCharacters(words) === meaningfulCharacters(repaired.match(TOKEN) ?? []) ? repaired : undefined;
  } catch {
    return undefined;
  }
}

const COLON_VALUE = /":"\s*[,}\]]/;

/** Whether a word looks like a number that JSON does not allow, which jsonrepair would make a text. */
function isNoNumber(word: string): boolean {
  if (!/^(?:[-+.\d]|NaN$|Infinity$|undefined$)/.test(word) || word === '...') return false;
  return !/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(word);
}

/**
 * The characters that a repair must not change: all but white space, punctuation, comments and ellipses. Python's words
 * count as JSON's.
 */
function meaningfulCharacters(words: readonly string[]): string {
  const joined = words.filter((word) => !/^(?:\/[/*]|\.{3}$)/.test(word)).join('');
  return joined
    .replace(/\\[bfnrt]|[\s\\,:"'`“”‘’´]/g, '')
    .replace(/True|False/g, (word) => word.toLowerCase())
    .replaceAll('None', 'null');
}
