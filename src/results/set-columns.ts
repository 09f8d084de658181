/** A result set as columns of JSON: the same set gives the same text, and a million records pass in a fraction of a second. */

import { normalLocations, setProblem } from '../algebra/index.ts';
import type { Locations, ResultSet, SetSource } from '../algebra/index.ts';

export type DecodedSet =
  | { readonly ok: true; readonly set: ResultSet }
  | { readonly ok: false; readonly message: string };

/** The members of the JSON object that holds the set, without the braces. */
export function setToColumns({ recordType, ids, locations, matches, source }: ResultSet): string {
  const columns = [`"recordType":${JSON.stringify(recordType)}`, `"ids":${JSON.stringify(ids)}`];
  const normal = normalLocations(locations);
  if (normal !== null) {
    const { sequences, sequence, start, stop, strand } = normal;
    columns.push(
      `"sequences":${JSON.stringify(sequences)}`,
      `"sequence":[${sequence.join(',')}]`,
      `"start":[${start.join(',')}]`,
      `"stop":[${stop.join(',')}]`,
      `"strand":[${strand.join(',')}]`,
    );
  }
  if (matches !== undefined && ids.length > 0) columns.push(`"matches":[${matches.join(',')}]`);
  if (source !== undefined) {
    const { path, sha256, bytes, notes } = source;
    columns.push(`"source":${JSON.stringify({ path, sha256, bytes, notes })}`);
  }
  return columns.join(',');
}

/** The set in a parsed object, every invariant of a result set checked. */
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

function refuse(reason: string): DecodedSet {
  return { ok: false, message: `This is no stored result set: ${reason}.` };
}

// A typed array takes any number and wraps it: what does not fit has to be seen before.

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
