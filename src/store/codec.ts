/** Encodes results as bytes and decodes them. */

import { atOnce, setProblem, type ResultSet, type Steps } from '../plan/algebra/index.ts';
import { RESULT_FORMAT, type JsonValue } from '../plan/index.ts';
import { briefJson, jsonIn, messageOf } from '../plan/text/index.ts';
import { isRecord, type ResultHandle } from '../protocol/index.ts';
import { setFromColumns, setToColumns } from './set-columns.ts';
import { inTurns } from './in-lines.ts';
import { refOfBytes } from './owners.ts';
import { StoreError } from './store.ts';
import type { ResultStore } from './results.ts';

/**
 * Thrown for a result that cannot be stored.
 * @example if (error instanceof UnstorableError) console.warn(error.message);
 */
export class UnstorableError extends TypeError {
  override readonly name = 'UnstorableError';
}

/**
 * Stores a result and returns its handle, which histories contain instead of the result.
 * @throws UnstorableError if the value is not JSON; StoreError `unwritable`
 * @example await writeResult(results, { kind: 'text', text: 'done' }); // { ref, kind: 'text', count: 4, bytes }
 */
export async function writeResult(store: ResultStore, result: Result): Promise<ResultHandle> {
  const { bytes, handle } = await encodedResult(result);
  await store.put(bytes);
  return handle;
}

export async function encodedResult(result: Result) {
  const bytes = await bytesOf(result);
  const handle: ResultHandle = {
    ref: refOfBytes(bytes),
    kind: result.kind,
    count: countOf(result),
    bytes: bytes.length,
  };
  return { bytes, handle };
}

/** Encodes a result. May throw, since a value may be longer than a string can be, or have a getter that throws. */
async function bytesOf(result: Result): Promise<Uint8Array> {
  const encoded = await inTurns(encodeSteps(result)).catch((error: unknown) => ({
    ok: false as const,
    message: `The result cannot be stored: ${messageOf(error)}`,
  }));
  if (encoded.ok) return encoded.bytes;
  throw new UnstorableError(encoded.message);
}

/**
 * Reads the result behind a reference.
 * @throws StoreError `not-found`, `corrupt` (also if the bytes are no result), `invalid-ref`, `unreadable`
 * @example
 * const result = await readResult(results, handle.ref);
 * if (result.kind === 'set') console.log(toIdLines(result.set));
 */
export async function readResult(store: Pick<ResultStore, 'get' | 'place'>, ref: string): Promise<Result> {
  const decoded = decodeResult(await store.get(ref));
  if (!decoded.ok)
    throw new StoreError('corrupt', `${ref} in the store at ${store.place} is no result. ${decoded.message}`);
  return decoded.result;
}

function countOf(result: Result): number {
  switch (result.kind) {
    case 'set':
      return result.set.ids.length;
    case 'value':
      return 1;
    case 'text':
      return result.text.length;
  }
}

/** Maximum levels of a stored value. Deeper values would overflow recursive readers in other programs. */
const MAX_DEPTH = 256;

/** Why a value is not JSON, with the JSONPath of the fault; undefined if it is JSON. Members may be undefined. */
function jsonProblem(value: unknown): string | undefined {
  if (isScalar(value)) return undefined;
  const open: { readonly value: unknown; readonly path: Path | null; readonly depth: number }[] = [
    { value, path: null, depth: 0 },
  ];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value: here, path, depth } = next;
    if (!isPlain(here)) return `${pathText(path)} is ${kindOf(here)}, which JSON cannot hold.`;
    if (depth === MAX_DEPTH)
      return `${pathText(path)} is nested deeper than ${MAX_DEPTH} levels. Flatten the value, or store it as text.`;
    const children: readonly (readonly [string | number, unknown])[] = Array.isArray(here)
      ? Array.from(here, (child, index) => [index, child] as const)
      : Object.entries(here);
    for (const [step, child] of children)
      if (child !== undefined && !isScalar(child))
        open.push({ value: child, path: { parent: path, step }, depth: depth + 1 });
  }
  return undefined;
}

interface Path {
  readonly parent: Path | null;
  readonly step: string | number;
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    (prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null) &&
    !('toJSON' in value)
  );
}

function kindOf(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'object') return `an object of class ${value?.constructor?.name ?? 'unknown'}`;
  return value === undefined ? 'undefined' : `a ${typeof value}`;
}

function pathText(path: Path | null): string {
  const steps: string[] = [];
  for (let at = path; at !== null && steps.length < 20; at = at.parent) {
    steps.unshift(typeof at.step === 'number' ? `[${at.step}]` : `[${JSON.stringify(at.step)}]`);
  }
  return steps.length === 20 ? `$…${steps.slice(-8).join('')}` : `$${steps.join('')}`;
}

/** The result of a node: a set, a JSON value, or a text. */
export type Result =
  | { readonly kind: 'set'; readonly set: ResultSet }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'text'; readonly text: string };

/** The bytes of a result, or a sentence that says why it cannot be stored. */
export type EncodedResult =
  | { readonly ok: true; readonly bytes: Uint8Array }
  | { readonly ok: false; readonly message: string };

/** The result that some bytes encode, or a sentence that says why there is none. */
export type DecodedResult =
  | { readonly ok: true; readonly result: Result }
  | { readonly ok: false; readonly message: string };

/** Characters encoded in one step, which takes some hundredths of a second. */
const STEP_LENGTH = 4_194_304;

/**
 * Encodes a result as a JSON document in UTF-8 that names its kind. Equal sets give equal bytes. Undefined members of a
 * value are left out; in a list they become null. Fails for a value that is not JSON (NaN, a class instance) or deeper
 * than 256 levels, and for a set with unsorted ids or inconsistent columns.
 * @example encodeResult({ kind: 'text', text: 'done' }); // { ok: true, bytes }
 */
export function encodeResult(result: Result): EncodedResult {
  return atOnce(encodeSteps(result));
}

/** Like `encodeResult`, but in steps: millions of records take seconds, and are longer than a string can be. */
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
 * Decodes the bytes of `encodeResult`. Rejects other formats, kinds and shapes with a reason.
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
