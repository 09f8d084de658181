/** Reading what may be JSON as leniently as can be. */

/** The shape of a text that need not be JSON, when it is read as leniently as can be. */
export interface LooseScan {
  /** The offset after the bracket that closes the first one, or undefined when nothing closes it. */
  readonly end: number | undefined;
  /** How many places are not JSON, as far as that can be told without mending them. */
  readonly flaws: number;
  /** Levels of brackets. */
  readonly depth: number;
}

/** Reads from an opening bracket to the one that closes it: brackets count outside of texts and comments only. */
export function scanLooseJson(text: string, start: number): LooseScan {
  let flaws = 0;
  let depth = 0;
  let deepest = 0;
  let last: 'open' | 'value' | ',' | ':' = 'open';
  let at = start;
  while (at < text.length) {
    const character = text[at]!;
    if (character <= ' ' || character === '\u00a0') at++;
    else if (character === '{' || character === '[') {
      if (last === 'value') flaws++;
      deepest = Math.max(deepest, ++depth);
      last = 'open';
      at++;
    } else if (character === '}' || character === ']') {
      if (last === ',' || last === ':') flaws++;
      last = 'value';
      at++;
      if (--depth === 0) return { end: at, flaws, depth: deepest };
    } else if (character === ',' || character === ':') {
      if (last !== 'value') flaws++;
      last = character;
      at++;
    } else if (character === '/' && (text[at + 1] === '/' || text[at + 1] === '*')) {
      flaws++;
      const end = text[at + 1] === '/' ? text.indexOf('\n', at) : text.indexOf('*/', at + 2);
      if (end < 0) break;
      at = text[at + 1] === '/' ? end : end + 2;
    } else {
      if (last === 'value') flaws++;
      last = 'value';
      if (QUOTES.includes(character)) readText(character, at);
      else readWord(at);
    }
  }
  return { end: undefined, flaws, depth: deepest };

  function readText(quote: string, from: number): void {
    if (quote !== '"') flaws++;
    const closing = quote === '“' ? '”' : quote === '‘' ? '’' : quote;
    for (at = from + 1; at < text.length && text[at] !== closing; at++) {
      if (text[at] === '\\') at++;
      else if (text[at]! < ' ') flaws++;
    }
    at++;
  }

  function readWord(from: number): void {
    WORD.lastIndex = from;
    at = WORD.test(text) ? WORD.lastIndex : from + 1;
    if (!/^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/.test(text.slice(from, Math.min(at, from + 400))))
      flaws++;
  }
}

const QUOTES = `"'\`“‘`;
const WORD = /[^\s,:{}[\]"]+/y;
