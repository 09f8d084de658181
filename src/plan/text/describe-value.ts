/** Values, texts and names in messages, and words for a shell. */

import { cutCharacters } from './cut.ts';

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
