const MARK = '…';
const MARK_BYTES = 3;

/** Cuts a text to at most `max` UTF-16 units. A text that was cut ends in `…`. */
export function cutCharacters(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  if (max < 1) return '';
  const end = max - 1;
  return text.slice(0, isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end).toWellFormed() + MARK;
}

/** Shortens a text to at most `max` UTF-16 units by cutting its start. A text that was cut begins with `…`. */
export function cutStart(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  if (max < 1) return '';
  const start = text.length - max + 1;
  return MARK + text.slice(isHighSurrogate(text.charCodeAt(start - 1)) ? start + 1 : start).toWellFormed();
}

/** Cuts a text to at most `bytes` bytes of UTF-8. The cut text ends in `…`, unless there is no room for the mark. */
export function cutBytes(text: string, bytes: number): string {
  if (hasAtMostBytes(text, bytes)) return text.toWellFormed();
  const mark = bytes < MARK_BYTES ? '' : MARK;
  return head(text, bytes - byteLength(mark)) + mark;
}

/** Cuts a text to at most `bytes` bytes of UTF-8 in its middle, so that its start and its end stay. */
export function cutMiddle(text: string, bytes: number): string {
  if (hasAtMostBytes(text, bytes)) return text.toWellFormed();
  if (bytes < MARK_BYTES) return cutBytes(text, bytes);
  const room = bytes - MARK_BYTES;
  const end = tail(text, Math.floor(room / 2));
  return head(text, room - byteLength(end)) + MARK + end;
}

/** The number of bytes of a text in UTF-8. A lone surrogate counts as U+FFFD. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** A UTF-16 unit takes one to three bytes of UTF-8, so the text is encoded only if its length is not conclusive. */
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

function isInside(byte = 0): boolean {
  return (byte & 0xc0) === 0x80;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

interface LineLimits {
  readonly bytes: number;
  /** Maximum UTF-8 bytes of a line. Applies only if the whole text is too long. */
  readonly lineBytes: number;
  /** Returns the line that replaces the omitted lines. Default: `... and 3 more lines`. */
  readonly rest?: (lines: number) => string;
}

/** Cuts a text to `bytes` bytes: first every line in its middle, so that all stay visible, then lines at the end. */
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
  /** Keeps line breaks (LF) and tabs as they are. Default false. */
  readonly lines?: boolean;
}

/**
 * Characters that nobody can see: controls (Cc), formats (Cf), lone surrogates (Cs), private and unassigned ones (Co,
 * Cn), separators (Zl, Zp), and those that are invisible by default, such as U+3164. Three without such a property are
 * listed by number. The workflow bundler would expand a literal pattern.
 */
const HIDDEN = new RegExp(
  String.raw`[\u{16fe4}\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]`,
  'gu',
);
const PLAIN = /^[ -~]*$/;

/** Replaces hidden characters by `\u` and four hex digits per UTF-16 unit. A second call changes nothing. */
export function visible(text: string, { lines = false }: VisibleOptions = {}): string {
  if (PLAIN.test(text)) return text;
  return text.replace(HIDDEN, (character) =>
    lines && (character === '\n' || character === '\t') ? character : escapeOf(character),
  );
}

/** Puts a text on one line: trimmed, with single spaces, and with hidden characters made visible. */
export function oneLine(text: string): string {
  return visible(text.trim().replace(/\s+/g, ' '));
}

/** Indents all lines of a text but the first, so that none of them looks like a line of ours. */
export function hanging(text: string): string {
  return text.replaceAll('\n', '\n  ');
}

/** Removes hidden characters, so that texts that look alike are equal. */
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

/** Writes about the first `max` characters of a value's JSON. Does not read the rest of a large or cyclic value. */
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

/** Quotes a text as JSON does, with hidden characters made visible. It is cut after 60 characters. */
export function quote(text: string): string {
  return visible(JSON.stringify(cutCharacters(text, MAX_QUOTED + 1)));
}

/** Maximum characters of an id. Ids of Temporal and of this project are shorter. */
const MAX_ID = 1100;

/** Like `quote`, but does not cut after 60 characters, since people copy ids of runs. */
export function quoteId(id: string): string {
  return visible(JSON.stringify(cutCharacters(id, MAX_ID)));
}

/** Lists names for a message, each once, at most 20 of them. */
export function listNames(names: readonly string[]): string {
  const all = [...new Set(names)];
  const quoted = all.slice(0, MAX_NAMES).map(quote);
  if (all.length > quoted.length) return `${quoted.join(', ')} and ${all.length - quoted.length} more`;
  return quoted.length < 2 ? quoted.join('') : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
}

/** Words that need no quotes in a shell. A word may not begin with `=`, which zsh expands to a command's path. */
const BARE = /^[\w.:/@%+,-][\w.:/@%+=,-]*$/;

/** Quotes a word for a POSIX shell: a safe word stays as it is, and any other gets single quotes. */
export function quoteForShell(word: string): string {
  return BARE.test(word) ? word : `'${word.toWellFormed().replaceAll("'", `'\\''`)}'`;
}
