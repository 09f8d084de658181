import { IssueList } from '../issues/index.ts';
import { MODEL_LIMITS } from '../limits.ts';
import { documentText } from './read-document.ts';
import { readSyntax } from './read-syntax.ts';
import type { JsonValue } from '../compiled-plan.ts';

export type JsonReading =
  | {
      readonly ok: true;
      readonly value: JsonValue;
      /** What was removed or repaired, a sentence each. */
      readonly repairs: readonly string[];
    }
  | { readonly ok: false; readonly reason: string };

/**
 * Reads JSON in a model's text as documents are read: prose, fences and thoughts around an object are removed, and its
 * syntax is repaired if nothing has to be guessed. At most 256 KiB and 200 levels. Repeated keys and cut texts are
 * refused.
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
