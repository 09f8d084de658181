/** An answer as it is typed, as the JSON value that it means. */

import type { JsonValue } from '../../language/plan/index.ts';
import type { OpenItem } from '../../wire/contract/index.ts';
import { CliError } from '../cli-error.ts';
import { yesOrNo } from './yes-no.ts';

/**
 * JSON if it parses as JSON, else text. Where the question wants a text, or one of certain texts, `42` is a text too;
 * where it wants yes or no, the words count. `json`: nothing but JSON is taken.
 * @throws CliError USAGE, or UNCLEAR of a word that is neither yes nor no.
 */
export function readValue(typed: string, schema: OpenItem['schema'], json = false): JsonValue {
  const parsed = parse(typed);
  if (json) {
    if (parsed === undefined) throw new CliError('USAGE', `--json: ${JSON.stringify(typed)} is no JSON`);
    return parsed;
  }
  if (schema?.['type'] === 'boolean') return typeof parsed === 'boolean' ? parsed : yesOrNo(typed);
  if (parsed === undefined) return typed;
  return !fits(parsed, schema) && fits(typed, schema) ? typed : parsed;
}

/** What the two ways to read it differ in; the run checks the whole schema. */
function fits(value: JsonValue, schema: OpenItem['schema'] = {}): boolean {
  const { enum: allowed, type } = schema;
  if (Array.isArray(allowed)) return allowed.includes(value);
  return type !== 'string' || typeof value === 'string';
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}
