/**
 * A text as one line that shows what it holds: runs of white space become one space, and characters that steer a
 * terminal or the direction of the text become visible escapes, so that what is read is what is there.
 */
export function oneLine(text: string): string {
  return text.trim().replace(/\s+/g, ' ').replace(STEERING, visible);
}

// Cc: control characters. The rest: marks that turn the direction of the text, and characters without width.
const STEERING = /[\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

function visible(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
