/** Encodes results as bytes and decodes them. */

import { atOnce, setProblem } from '../plan/algebra/index.ts';
import type { ResultSet, Steps } from '../plan/algebra/index.ts';
import { RESULT_FORMAT, type JsonValue } from '../plan/index.ts';
import { briefJson, jsonIn } from '../plan/text/index.ts';
import { isRecord } from '../protocol/index.ts';
import { jsonProblem } from './json-problem.ts';
import { setFromColumns, setToColumns } from './set-columns.ts';

/** The result of a node: a set, a JSON value, or a text. */
export type Result =
  | { readonly kind: 'set'; readonly set: ResultSet }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'text'; readonly text: string };

/** The bytes of a result, or a sentence that says why it cannot be stored. */
export type EncodedResult =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly message: string };

/** The result in some bytes, or a sentence that says why there is none. */
export type DecodedResult =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly message: string };

/** Characters encoded per step: some hundredths of a second. */
const STEP_LENGTH = 4_194_304;

/**
 * A JSON document in UTF-8 that names its kind. Equal sets give equal bytes. Undefined members of a value are left out;
 * in a list they are null. Refused: a value that is not JSON (NaN, a class instance) or deeper than 256 levels, and a
 * set with unsorted ids or inconsistent columns.
 * @example encodeResult({ kind: 'text', text: 'done' }); // { ok: true, bytes }
 */
export function encodeResult(result: Result): EncodedResult {
  return atOnce(encodeSteps(result));
}

/** As `encodeResult`, in steps: a set of millions of records is longer than a string can be, and takes seconds. */
export function* encodeSteps(result: Result): Steps<EncodedResult> {
  const message = resultProblem(result);
  if (message !== undefined) return { ok: false, message };
  const pieces = [Buffer.from(`{"format":"${RESULT_FORMAT}","kind":"${result.kind}",`)];
  let length = 0;
  for (const piece of membersOf(result)) {
    pieces.push(Buffer.from(piece));
    length += piece.length;
    if (length < STEP_LENGTH) continue;
    length = 0;
    yield;
  }
  pieces.push(Buffer.from('}\n'));
  return { ok: true, bytes: Buffer.concat(pieces) };
}

/**
 * Reads what `encodeResult` wrote; refuses other formats, kinds and shapes with a reason.
 * @example decodeResult(Buffer.from('no result')); // { ok: false, message: 'These bytes are no stored result: ...' }
 */
export function decodeResult(bytes: Uint8Array): DecodedResult {
  const document = jsonIn(bytes);
  if (!isRecord(document) || document['format'] !== RESULT_FORMAT) {
    return {
      ok: false,
      message: `These bytes are no stored result: expected a JSON object whose format is "${RESULT_FORMAT}".`,
    };
  }
  switch (document['kind']) {
    case 'set': {
      const decoded = setFromColumns(document);
      return decoded.ok ? { ok: true, result: { kind: 'set', set: decoded.set } } : decoded;
    }
    case 'value': {
      const problem = 'value' in document ? jsonProblem(document['value']) : 'it is missing.';
      if (problem !== undefined) return { ok: false, message: `The stored value is not one of ours: ${problem}` };
      return { ok: true, result: { kind: 'value', value: document['value'] as JsonValue } };
    }
    case 'text': {
      const text = document['text'];
      if (typeof text !== 'string') return { ok: false, message: 'The stored text is missing.' };
      return { ok: true, result: { kind: 'text', text } };
    }
    default:
      return {
        ok: false,
        message: `The stored result is of kind ${briefJson(document['kind'])}; known kinds are set, value and text.`,
      };
  }
}

function resultProblem(result: Result): string | undefined {
  if (result.kind === 'value') {
    const problem = jsonProblem(result.value);
    return problem && `The value cannot be stored as a result: ${problem}`;
  }
  if (result.kind === 'set') {
    const problem = setProblem(result.set);
    return (
      problem && `The set cannot be stored as a result: ${problem}. createSet makes a set from records in any order.`
    );
  }
  return typeof result.text === 'string' ? undefined : 'The result says that it is a text and holds none.';
}

function membersOf(result: Result): Iterable<string> {
  switch (result.kind) {
    case 'set':
      return setToColumns(result.set);
    case 'value':
      return [`"value":${JSON.stringify(result.value)}`];
    case 'text':
      return [`"text":${JSON.stringify(result.text)}`];
  }
}
