/**
 * Text that shows what it holds: a character that cannot be seen, or could rule a terminal, becomes an escape that can
 * be read.
 */

export interface VisibleOptions {
  /** Whether line breaks (LF) and tabs stay as they are. Default false. */
  readonly lines?: boolean;
}

/**
 * Unicode: by property, controls (Cc), formats (Cf), lone surrogates (Cs), private and unassigned characters (Co, Cn),
 * line and paragraph separators (Zl, Zp), and characters that are drawn as nothing by default, such as U+3164. The
 * three that stand here by number are blank, though no property says so. Not a literal: the bundler of workflows would
 * write every class of one out in full.
 */
const HIDDEN = new RegExp(
  String.raw`[\u{16fe4}\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u{1d159}]`,
  'gu',
);
/** Most texts hold nothing else, and are told by it in a fraction of the time. */
const PLAIN = /^[ -~]*$/;

/**
 * The text with every hidden character as `\u` and four hex digits for each of its UTF-16 units. Ordinary spaces stay.
 * The result is well formed, and making it visible again changes nothing.
 *
 * @example visible('a\u202eb'); // 'a\\u202eb'
 * @example visible('a\n\tb', { lines: true }); // 'a\n\tb'
 */
export function visible(text: string, { lines = false }: VisibleOptions = {}): string {
  if (PLAIN.test(text)) return text;
  return text.replace(HIDDEN, (character) =>
    lines && (character === '\n' || character === '\t') ? character : escapeOf(character),
  );
}

/**
 * The text on one visible line: trimmed, runs of white space as one space.
 *
 * @example oneLine(' a\n\tb\u0007 '); // 'a b\\u0007'
 */
export function oneLine(text: string): string {
  return visible(text.trim().replace(/\s+/g, ' '));
}

/**
 * The text without its hidden characters: two texts that look alike are more often one.
 *
 * @example withoutHidden('a\u200bb'); // 'ab'
 */
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
