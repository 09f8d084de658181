/** A result set as columns of JSON: the same set gives the same text, and a million records pass in a fraction of a second. */

import { normalLocations, setProblem } from '../algebra/index.ts';
import type { Locations, ResultSet } from '../algebra/index.ts';

export type DecodedSet =
  | { readonly ok: true; readonly set: ResultSet }
  | { readonly ok: false; readonly message: string };

/** The members of the JSON object that holds the set, without the braces. */
export function setToColumns({ recordType, ids, locations, matches }: ResultSet): string {
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
  return columns.join(',');
}

/** The set in a parsed object, every invariant of a result set checked. */
export function setFromColumns(columns: { readonly [name: string]: unknown }): DecodedSet {
  const { recordType, ids, sequences } = columns;
  for (const name of sequences === undefined ? [] : ['sequence', 'start', 'stop', 'strand']) {
    if (!isIntegerColumn(columns[name])) return refuse(`${name} is no list of 32-bit integers`);
  }
  const wide = (columns['strand'] as readonly number[] | undefined)?.some((sign) => sign < -1 || sign > 1);
  if (sequences !== undefined && wide === true) return refuse('strand holds more than 1, -1 and 0');
  const matches = columns['matches'];
  if (matches !== undefined && !isCountColumn(matches)) return refuse('matches is no list of counts');
  const set = {
    recordType,
    ids,
    locations: sequences === undefined ? null : locationsFrom(columns),
    ...(matches !== undefined && { matches: Uint32Array.from(matches) }),
  } as ResultSet;
  const problem = setProblem(set);
  return problem === undefined ? { ok: true, set } : refuse(problem);
}

function refuse(reason: string): DecodedSet {
  return { ok: false, message: `This is no stored result set: ${reason}.` };
}

function isIntegerColumn(column: unknown): column is readonly number[] {
  return Array.isArray(column) && column.every((value) => (value | 0) === value);
}

function isCountColumn(column: unknown): column is readonly number[] {
  return Array.isArray(column) && column.every((value) => value >>> 0 === value);
}

function locationsFrom(columns: { readonly [name: string]: unknown }): Locations {
  return {
    sequences: columns['sequences'] as string[],
    sequence: Int32Array.from(columns['sequence'] as number[]),
    start: Int32Array.from(columns['start'] as number[]),
    stop: Int32Array.from(columns['stop'] as number[]),
    strand: Int8Array.from(columns['strand'] as number[]),
  };
}
