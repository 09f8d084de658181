import { textOfBytes } from '../text/index.ts';
import { ROOT, IssueList } from '../issues/index.ts';
import { MODEL_LIMITS } from '../limits.ts';
import { readSyntax } from './read-syntax.ts';
import type { JsonValue } from '../compiled-plan.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/** The text of a document; undefined, with an issue, if it is too large, empty or not text. */
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

function sizeExceeds(document: string | Uint8Array, maxBytes: number): boolean {
  const { length } = document;
  if (length > maxBytes || typeof document !== 'string') return length > maxBytes;
  // UTF-8 has at most three bytes for each UTF-16 unit, so most texts need not be encoded for measuring.
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

function refuseBinary(reason: string, issues: IssueList): undefined {
  issues.add('error', 'not-text', ROOT, () => ({
    message: `The document is not text: ${reason}. Save it as UTF-8.`,
    expected: 'UTF-8 text',
  }));
}

export type JsonReading =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /** One sentence for each part of the text that was removed or repaired. */
      readonly repairs: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads JSON in a model's text, as documents are read: prose, fences and thoughts around an object are removed, and its
 * syntax is repaired if nothing has to be guessed. At most 256 KiB and 200 levels. Repeated keys and incomplete texts
 * are errors.
 */
export function readJson(text: string): JsonReading {
  const issues = new IssueList();
  const document = documentText(text, MODEL_LIMITS.bytes, issues);
  const read = document === undefined ? undefined : readSyntax(document, 'json', MODEL_LIMITS, issues);
  const listed = issues.list();
  const error = listed.find(({ severity }) => severity === 'error');
  if (error?.code === 'empty-document') return { ok: false, reason: 'It is empty.' };
  if (error !== undefined && !/[[{]/.test(text)) return { ok: false, reason: 'There is no JSON object in it.' };
  if (read === undefined || error !== undefined) return { ok: false, reason: error?.message ?? 'It cannot be read.' };
  return { ok: true, value: read.value as JsonValue, repairs: listed.map(({ message }) => message) };
}
