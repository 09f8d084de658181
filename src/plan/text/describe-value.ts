/** Values, texts and names in messages, and words for a shell. */

const MARK = '…';
const MARK_BYTES = 3;

/** The text in at most `max` UTF-16 units. */
export function cutCharacters(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  if (max < 1) return '';
  const end = max - 1;
  return text.slice(0, isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end).toWellFormed() + MARK;
}

/** As `cutCharacters`, but keeps the end. */
export function cutStart(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  if (max < 1) return '';
  const start = text.length - max + 1;
  return MARK + text.slice(isHighSurrogate(text.charCodeAt(start - 1)) ? start + 1 : start).toWellFormed();
}

/** The text in at most `bytes` bytes of UTF-8. If there is no room for the mark, it is cut without one. */
export function cutBytes(text: string, bytes: number): string {
  if (hasAtMostBytes(text, bytes)) return text.toWellFormed();
  const mark = bytes < MARK_BYTES ? '' : MARK;
  return head(text, bytes - byteLength(mark)) + mark;
}

/** As `cutBytes`, with the cut in the middle, so that the start and the end of the text stay. */
export function cutMiddle(text: string, bytes: number): string {
  if (hasAtMostBytes(text, bytes)) return text.toWellFormed();
  if (bytes < MARK_BYTES) return cutBytes(text, bytes);
  const room = bytes - MARK_BYTES;
  const end = tail(text, Math.floor(room / 2));
  return head(text, room - byteLength(end)) + MARK + end;
}

/** Bytes of the text in UTF-8; a lone surrogate counts as U+FFFD. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Encodes only if the number of units leaves it open: a unit takes one to three bytes. */
function hasAtMostBytes(text: string, bytes: number): boolean {
  return text.length <= bytes && (text.length * 3 <= bytes || byteLength(text) <= bytes);
}

function head(text: string, bytes: number): string {
  const all = encoder.encode(text.slice(0, bytes + 1));
  let end = Math.min(bytes, all.length);
  while (isInside(all[end])) end -= 1;
  return decoder.decode(all.subarray(0, end));
}

function tail(text: string, bytes: number): string {
  const all = encoder.encode(text.slice(Math.max(0, text.length - bytes - 1)));
  let start = Math.max(0, all.length - bytes);
  while (isInside(all[start])) start += 1;
  return decoder.decode(all.subarray(start));
}

/** Whether a byte continues a character. */
function isInside(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

interface LineLimits {
  /** Bytes of UTF-8 for the whole, including the line about the rest. */
  readonly bytes: number;
  /** Bytes of UTF-8 per line, if the whole is too long. */
  readonly lineBytes: number;
  /** The line that replaces the omitted ones. Default `... and 3 more lines`. */
  readonly rest?: (lines: number) => string;
}

/**
 * The text in at most `bytes` bytes. A text that fits stays. Otherwise every line is cut in its middle first, so that
 * one long line cannot hide later ones; then lines at the end are left out.
 */
export function cutLines(text: string, { bytes, lineBytes, rest = moreLines }: LineLimits): string {
  if (text.length <= bytes && byteLength(text) <= bytes) return text.toWellFormed();
  const lines = text.split('\n').map((line) => cutMiddle(line, lineBytes));
  const sizes = [0];
  for (const line of lines) sizes.push(sizes.at(-1)! + byteLength(line) + 1);
  if (sizes.at(-1)! - 1 <= bytes) return lines.join('\n');
  for (let count = lines.length - 1; count > 0; count--) {
    if (sizes[count]! > bytes) continue;
    const last = rest(lines.length - count);
    if (sizes[count]! + byteLength(last) <= bytes) return [...lines.slice(0, count), last.toWellFormed()].join('\n');
  }
  return cutBytes(rest(lines.length), bytes);
}

function moreLines(lines: number): string {
  return `... and ${lines} more line${lines === 1 ? '' : 's'}`;
}

interface VisibleOptions {
  /** Keeps line breaks (LF) and tabs. Default false. */
  readonly lines?: boolean;
}

/**
 * By Unicode property: controls (Cc), formats (Cf), lone surrogates (Cs), private and unassigned characters (Co, Cn),
 * line and paragraph separators (Zl, Zp), and characters that are invisible by default, such as U+3164. The three by
 * number are blank without such a property. No literal: the workflow bundler would expand every class.
 */
const HIDDEN = new RegExp(
  String.raw`[\u{16fe4}\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]`,
  'gu',
);
/** Most texts match, and the check is fast. */
const PLAIN = /^[ -~]*$/;

/**
 * The text with every hidden character as `\u` and four hex digits per UTF-16 unit. Ordinary spaces stay. The result is
 * well formed, and a second call changes nothing.
 */
export function visible(text: string, { lines = false }: VisibleOptions = {}): string {
  if (PLAIN.test(text)) return text;
  return text.replace(HIDDEN, (character) =>
    lines && (character === '\n' || character === '\t') ? character : escapeOf(character),
  );
}

/** The text on one visible line: trimmed, runs of white space as one space. */
export function oneLine(text: string): string {
  return visible(text.trim().replace(/\s+/g, ' '));
}

/** The text without hidden characters, so that texts that look alike are equal. */
export function withoutHidden(text: string): string {
  return PLAIN.test(text) ? text : text.replace(HIDDEN, '');
}

function escapeOf(character: string): string {
  let escaped = '';
  for (let at = 0; at < character.length; at++) {
    escaped += `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`;
  }
  return escaped;
}

const MAX_QUOTED = 60;
const MAX_NAMES = 20;

/** Any value, in a word or two. */
export function describeValue(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
    case 'boolean':
      return `${typeof value} ${value}`;
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? `a list of ${value.length}` : 'an object';
    case 'undefined':
      return 'nothing';
    default:
      return `a ${typeof value}`;
  }
}

/**
 * A value as JSON with all characters visible, in about `max` characters. It reads no more of it, so a large or cyclic
 * value costs no more than a small one.
 */
export function briefJson(root: unknown, max = 80): string {
  let text = '';
  write(root);
  return visible(cutCharacters(text, max));

  function write(value: unknown): void {
    if (text.length > max) return;
    if (typeof value === 'string') text += JSON.stringify(value.slice(0, max + 1 - text.length));
    else if (typeof value !== 'object' || value === null) text += String(value);
    else {
      const isList = Array.isArray(value);
      text += isList ? '[' : '{';
      const keys = isList ? value.keys() : Object.keys(value);
      let separator = '';
      for (const key of keys) {
        text += separator;
        if (!isList) write(key);
        if (!isList) text += ':';
        write((value as Record<string | number, unknown>)[key]);
        if (text.length > max) return;
        separator = ',';
      }
      text += isList ? ']' : '}';
    }
  }
}

/** A text in double quotes like JSON, all characters visible, cut after 60 characters. */
export function quote(text: string): string {
  return visible(JSON.stringify(cutCharacters(text, MAX_QUOTED + 1)));
}

/** No id of Temporal or of ours is longer. */
const MAX_ID = 1100;

/** As `quote`, but whole: people type it again, such as the id of a run. */
export function quoteId(id: string): string {
  return visible(JSON.stringify(cutCharacters(id, MAX_ID)));
}

/** Names in a message, each once, at most 20. */
export function listNames(names: readonly string[]): string {
  const all = [...new Set(names)];
  const quoted = all.slice(0, MAX_NAMES).map(quote);
  if (all.length > quoted.length) return `${quoted.join(', ')} and ${all.length - quoted.length} more`;
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

/** No POSIX shell treats these specially, nor does zsh, in which a word that begins with `=` is a command. */
const BARE = /^[\w.:/@%+,-][\w.:/@%+=,-]*$/;

/** A word for a POSIX shell: unchanged if safe, else in single quotes. */
export function quoteForShell(word: string): string {
  return BARE.test(word) ? word : `'${word.toWellFormed().replaceAll("'", `'\\''`)}'`;
}
