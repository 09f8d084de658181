/** Checks the invariants of a result set. */

import { quote } from '../text/index.ts';
import { MAX_POSITION } from './locations.ts';
import { partsProblem } from './parts.ts';
import type { Locations, ResultSet } from './result-set.ts';

/**
 * What is wrong with a set from outside, or undefined. The operators rely on order and columns, so every set from
 * outside passes here once.
 */
export function setProblem({ recordType, ids, locations, matches }: ResultSet): string | undefined {
  if (recordType !== null && typeof recordType !== 'string') return 'recordType is neither a text nor null';
  if (!Array.isArray(ids)) return 'ids is no list';
  return idProblem(ids) ?? locationsProblem(locations, ids.length) ?? matchesProblem(matches, ids.length);
}

function idProblem(ids: readonly unknown[]): string | undefined {
  let previous = '';
  for (let row = 0; row < ids.length; row += 1) {
    const id = ids[row];
    if (typeof id !== 'string' || id === '') return `ids[${row}] is not a text, or empty`;
    if (!(previous < id)) {
      return `ids[${row}] is ${quote(id)} after ${quote(previous)}; ids are sorted by UTF-16 code units, each once`;
    }
    previous = id;
  }
  return undefined;
}

function locationsProblem(locations: Locations | null, count: number): string | undefined {
  if (locations === null) return undefined;
  if (typeof locations !== 'object') return 'locations is neither null nor columns';
  const { sequences, sequence, start, stop, strand } = locations;
  for (const [name, column] of Object.entries({ sequence, start, stop })) {
    if (!(column instanceof Int32Array) || column.length !== count) return `${name} is no Int32Array of ${count} rows`;
  }
  if (!(strand instanceof Int8Array) || strand.length !== count) return `strand is no Int8Array of ${count} rows`;
  if (!Array.isArray(sequences) || !sequences.every((name) => typeof name === 'string' && name !== '')) {
    return 'sequences is no list of names';
  }
  if (new Set(sequences).size !== sequences.length) return 'sequences holds one name twice';
  for (let row = 0; row < count; row += 1) {
    const index = sequence[row]!;
    if (index < -1 || index >= sequences.length) return `row ${row} stands on sequence ${index} of ${sequences.length}`;
    if (index === -1) continue;
    if (start[row]! < 1 || start[row]! > stop[row]! || stop[row]! > MAX_POSITION) {
      return `row ${row} stands from ${start[row]} to ${stop[row]}; expected 1 <= start <= stop <= ${MAX_POSITION}`;
    }
    if (strand[row]! < -1 || strand[row]! > 1) return `row ${row} has strand ${strand[row]}; expected 1, -1 or 0`;
  }
  return partsProblem(locations, count);
}

function matchesProblem(matches: Uint32Array | undefined, count: number): string | undefined {
  if (matches === undefined || (matches instanceof Uint32Array && matches.length === count)) return undefined;
  return `matches is no Uint32Array of ${count} rows`;
}
