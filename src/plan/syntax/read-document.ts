/** A document as text, and the issues of a JSON text that was scanned. */

import { quote, textOfBytes } from '../text/index.ts';
import { ROOT, farBelow, positionOf } from '../issues/index.ts';
import { FEWER_LEVELS } from '../json-scan.ts';
import type { IssueList } from '../issues/index.ts';
import type { JsonFault, JsonFinding, JsonScan } from '../json-scan.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/** The text of a document. Undefined, with an issue, when it is too large, empty or no text. */
export function documentText(document: string | Uint8Array, maxBytes: number, issues: IssueList): string | undefined {
  if (sizeExceeds(document, maxBytes)) {
    issues.add('error', 'too-large', ROOT, () => ({
      message: `The document has more than ${maxBytes} bytes. Make it smaller, or raise the limit.`,
      expected: `at most ${maxBytes} bytes`,
    }));
    return undefined;
  }
  const written = typeof document === 'string' ? document : textOfBytes(document);
  if (written === undefined) return refuseBinary('its bytes are not UTF-8', issues);
  if (written.includes('\0')) return refuseBinary('it has NUL characters', issues);
  const text = withoutByteOrderMark(written, issues);
  if (text.trim() !== '') return text;
  issues.add('error', 'empty-document', ROOT, () => ({
    message: 'The document is empty. Write a plan: { "goal": "...", "plan": { ... } }.',
  }));
  return undefined;
}

/** The value of a JSON text that was scanned, or undefined with an issue. Its places count from `base` of the whole text. */
export function jsonValue(
  json: string,
  { fault, findings }: JsonScan,
  issues: IssueList,
  whole: string = json,
  base = 0,
): { readonly value: unknown } | undefined {
  for (const finding of findings) addFinding({ ...finding, offset: finding.offset + base }, whole, issues);
  if (fault === undefined) return { value: JSON.parse(json) as unknown };
  addFault({ ...fault, offset: fault.offset + base }, whole, issues);
  return undefined;
}

function sizeExceeds(document: string | Uint8Array, maxBytes: number): boolean {
  const { length } = document;
  if (length > maxBytes || typeof document !== 'string') return length > maxBytes;
  // UTF-8 takes at most three bytes for one UTF-16 unit, so that most texts need not be encoded to be measured.
  return length * 3 > maxBytes && new TextEncoder().encode(document).length > maxBytes;
}

function withoutByteOrderMark(text: string, issues: IssueList): string {
  if (!text.startsWith(BYTE_ORDER_MARK)) return text;
  issues.add('warning', 'surrounding-text', ROOT, () => ({
    message: 'A byte order mark before the document was taken off. Save the file as UTF-8 without one.',
    line: 1,
    column: 1,
  }));
  return text.slice(BYTE_ORDER_MARK.length);
}

function addFault({ offset, truncated, expected }: JsonFault, text: string, issues: IssueList): void {
  const position = positionOf(text, offset);
  const where = `line ${position.line}, column ${position.column}`;
  if (truncated) {
    issues.add('error', 'truncated-document', ROOT, () => ({
      message: `The document ends at ${where} before it is complete. Supply the rest of it.`,
      expected,
      got: 'the end of the text',
      ...position,
    }));
    return;
  }
  if (expected === FEWER_LEVELS) {
    issues.add('error', 'too-deep', ROOT, () => ({
      message: `At ${where} the document has more levels of lists and objects than a plan may have. Make it flatter, or raise the limit.`,
      expected,
      ...position,
    }));
    return;
  }
  const got = quote(String.fromCodePoint(text.codePointAt(offset)!));
  issues.add('error', 'invalid-json', ROOT, () => ({
    message: `The document is not JSON: at ${where} stands ${got}, where JSON has ${IN_WORDS[expected]}.${remedy(text, offset, expected)}`,
    expected,
    got,
    ...position,
  }));
}

function addFinding({ kind, offset, steps, text: found }: JsonFinding, text: string, issues: IssueList): void {
  const place = () => farBelow(ROOT, steps);
  if (kind === 'duplicate-key') {
    issues.add('error', 'duplicate-key', place, () => ({
      message: `The object has the key ${quote(found)} more than once, and only one of them can count. Keep one.`,
      got: quote(found),
      ...positionOf(text, offset),
    }));
    return;
  }
  issues.add('warning', 'inexact-number', place, () => ({
    message: `The number ${quote(found)} is too long to be kept exactly; it becomes ${Number(found)}. Write it in quotes.`,
    expected: 'an integer of at most 15 digits',
    got: quote(found),
    ...positionOf(text, offset),
  }));
}

const IN_WORDS: Readonly<Record<JsonFault['expected'], string>> = {
  value: 'a value',
  'value or ]': 'a value or "]"',
  key: 'a key in double quotes',
  'key or }': 'a key in double quotes or "}"',
  ':': 'a colon',
  ', or }': 'a comma or "}"',
  ', or ]': 'a comma or "]"',
  end: 'nothing more',
  'the rest of a text': 'the rest of a text',
  [FEWER_LEVELS]: FEWER_LEVELS,
};

function remedy(text: string, offset: number, expected: string): string {
  const character = text[offset]!;
  const followsComma = /,\s*$/.test(text.slice(Math.max(0, offset - 100), offset));
  if ((character === '}' || character === ']') && followsComma) return ' Remove the comma before it.';
  if (character === "'") return ' Use double quotes.';
  if (character === '/' || character === '#') return ' Remove comments.';
  if (expected === 'the rest of a text' && character < ' ')
    return ' Write a line break inside a text as \\n, a tab as \\t.';
  if (expected === 'end') return ' Remove what follows the document.';
  return '';
}

function refuseBinary(reason: string, issues: IssueList): undefined {
  issues.add('error', 'not-text', ROOT, () => ({
    message: `The document is not text: ${reason}. Save it as UTF-8.`,
    expected: 'UTF-8 text',
  }));
}
