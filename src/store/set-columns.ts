/**
 * Writes a result set as columns of JSON. Equal sets give equal text. A million records take a fraction of a second.
 */

import { normalLocations, setProblem } from '../plan/algebra/index.ts';
import type { Locations, ResultSet, SetSource } from '../plan/algebra/index.ts';

export type DecodedSet =
  | { readonly ok: true; readonly set: ResultSet }
  | { readonly ok: false; readonly message: string };

/** The members of the set's JSON object, without the braces, in pieces of 16,384 rows. */
export function* setToColumns({
  recordType,
  ids,
  locations,
  matches,
  source,
}: ResultSet): Generator<string, void, void> {
  yield `"recordType":${JSON.stringify(recordType)}`;
  yield* list('ids', ids.length, (from, to) => JSON.stringify(ids.slice(from, to)).slice(1, -1));
  const normal = normalLocations(locations);
  if (normal !== null) {
    yield `,"sequences":${JSON.stringify(normal.sequences)}`;
    for (const name of ['sequence', 'start', 'stop', 'strand'] as const) yield* numbers(name, normal[name]);
  }
  if (matches !== undefined && ids.length > 0) yield* numbers('matches', matches);
  if (source !== undefined) {
    const { path, sha256, bytes, notes } = source;
    yield `,"source":${JSON.stringify({ path, sha256, bytes, notes })}`;
  }
}

/** Reads a set from a parsed object, and checks everything that sets must satisfy. */
export function setFromColumns(columns: { readonly [name: string]: unknown }): DecodedSet {
  const { recordType, ids, sequences, sequence, start, stop, strand, matches, source } = columns;
  let locations: Locations | null = null;
  if (sequences !== undefined) {
    if (!isIntegers(sequence) || !isIntegers(start) || !isIntegers(stop) || !isSigns(strand)) {
      return refuse('sequence, start, stop and strand are not four lists of integers');
    }
    locations = {
      sequences: sequences as readonly string[],
      sequence: Int32Array.from(sequence),
      start: Int32Array.from(start),
      stop: Int32Array.from(stop),
      strand: Int8Array.from(strand),
    };
  }
  if (matches !== undefined && !isCounts(matches)) return refuse('matches is no list of counts');
  if (source !== undefined && !isSource(source)) return refuse('source is no { path, sha256, bytes, notes }');
  const set = {
    recordType,
    ids,
    locations,
    ...(matches !== undefined && { matches: Uint32Array.from(matches) }),
    ...(source !== undefined && { source }),
  } as ResultSet;
  const problem = setProblem(set);
  return problem === undefined ? { ok: true, set } : refuse(problem);
}

type Column = Int32Array | Int8Array | Uint32Array;

const ROWS_IN_PIECE = 16_384;

function* numbers(name: string, of: Column, comma = ','): Generator<string, void, void> {
  yield* list(name, of.length, (from, to) => of.subarray(from, to).join(','), comma);
}

function* list(
  name: string,
  count: number,
  textOf: (from: number, to: number) => string,
  comma = ',',
): Generator<string, void, void> {
  yield `${comma}"${name}":[${textOf(0, ROWS_IN_PIECE)}`;
  for (let from = ROWS_IN_PIECE; from < count; from += ROWS_IN_PIECE) yield `,${textOf(from, from + ROWS_IN_PIECE)}`;
  yield ']';
}

function refuse(reason: string): DecodedSet {
  return { ok: false, message: `This is no stored result set: ${reason}.` };
}

// A typed array silently wraps numbers that do not fit, so they are checked.

function isIntegers(column: unknown): column is readonly number[] {
  return Array.isArray(column) && column.every((value) => (value | 0) === value);
}

function isSigns(column: unknown): column is readonly number[] {
  return Array.isArray(column) && column.every((value) => value === 1 || value === -1 || value === 0);
}

function isCounts(column: unknown): column is readonly number[] {
  return Array.isArray(column) && column.every((value) => value >>> 0 === value);
}

function isSource(value: unknown): value is SetSource {
  if (typeof value !== 'object' || value === null) return false;
  const { path, sha256, bytes, notes } = value as Partial<Record<keyof SetSource, unknown>>;
  return (
    typeof path === 'string' &&
    typeof sha256 === 'string' &&
    Number.isSafeInteger(bytes) &&
    Array.isArray(notes) &&
    notes.every((note) => typeof note === 'string')
  );
}
