/** Reading a result set record by record. */

import { locationAt } from './locations.ts';
import type { ResultRecord, ResultSet } from './result-set.ts';

/**
 * The set without records; `recordType` null fits any record type.
 *
 * @example emptySet('gene').ids; // []
 */
export function emptySet(recordType: string | null = null): ResultSet {
  return { recordType, ids: [], locations: null };
}

/**
 * The record in a row of the set. Throws RangeError when there is no such row.
 *
 * @example recordAt(createSet([{ id: 'a' }]), 0); // { id: 'a' }
 */
export function recordAt(set: ResultSet, row: number): ResultRecord {
  const id = set.ids[row];
  if (id === undefined) throw new RangeError(`The set has ${set.ids.length} records; there is no row ${row}.`);
  const location = locationAt(set.locations, row);
  return location === undefined ? { id } : { id, location };
}

/**
 * All records, in the order of their ids.
 *
 * @example for (const { id, location } of records(set)) console.log(id, location?.sequence);
 */
export function* records(set: ResultSet): Generator<ResultRecord, void, undefined> {
  for (let row = 0; row < set.ids.length; row += 1) yield recordAt(set, row);
}
