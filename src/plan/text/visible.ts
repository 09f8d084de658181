/** Escapes characters that cannot be seen or could control a terminal. */

export interface VisibleOptions {
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
