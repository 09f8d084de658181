/** Text broken into lines of a width. */

import { wellFormed } from './well-formed.js';

/**
 * Lines of at most `width` characters, broken between words; a word that no line holds is broken itself, so that nothing
 * of it is lost. Below 1 the width counts as 1.
 *
 * @example wrap('one two three', 8); // ['one two', 'three']
 */
export function wrap(text: string, width: number): readonly string[] {
  const room = Math.max(1, width);
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    let rest = word;
    if (line !== '' && line.length + 1 + rest.length > room) {
      lines.push(line);
      line = '';
    }
    while (rest.length > room) {
      const end = isHighSurrogate(rest.charCodeAt(room - 1)) && room > 1 ? room - 1 : room;
      lines.push(wellFormed(rest.slice(0, end)));
      rest = rest.slice(end);
    }
    line = line === '' ? rest : `${line} ${rest}`;
  }
  return [...lines, line];
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
