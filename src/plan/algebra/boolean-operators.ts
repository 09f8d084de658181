/** The boolean operators, each as one merge of two sorted id columns. As in VEuPathDB, MINUS keeps the left side. */

import { quote } from '../text/index.ts';
import { locationAt, locationId, takeLocations } from './locations.ts';
import type { Locations, ResultSet } from './result-set.ts';

/** The combined set, or a sentence that says why the two sets cannot be combined and what to do. */
export type CombinedSet =
  | { readonly ok: true; readonly set: ResultSet }
  | { readonly ok: false; readonly message: string };

interface Keeps {
  readonly onlyLeft: boolean;
  readonly inBoth: boolean;
  readonly onlyRight: boolean;
}

export const KEEPS = {
  UNION: { onlyLeft: true, inBoth: true, onlyRight: true },
  INTERSECT: { onlyLeft: false, inBoth: true, onlyRight: false },
  MINUS: { onlyLeft: true, inBoth: false, onlyRight: false },
  RMINUS: { onlyLeft: false, inBoth: false, onlyRight: true },
} as const satisfies Record<string, Keeps>;

/**
 * A set operator that compares only ids. `MINUS` keeps ids that only its left side has, `RMINUS` those of the right.
 */
export type BooleanOperator = keyof typeof KEEPS;

/**
 * Applies a boolean operator to two sets of one record type; a record type of null fits any. If both sets have an id, a
 * record with a location wins, then the left one. An id with two different locations gives `ok: false`. The result has
 * no `matches`.
 */
export function combineByMerge(operator: BooleanOperator, left: ResultSet, right: ResultSet): CombinedSet {
  if (!Object.hasOwn(KEEPS, operator)) {
    return {
      ok: false,
      message: `${quote(operator)} is no set operator; there are ${Object.keys(KEEPS).join(', ')} and COLOCATE.`,
    };
  }
  if (left.recordType !== null && right.recordType !== null && left.recordType !== right.recordType) {
    return { ok: false, message: typeMismatch(operator, left.recordType, right.recordType) };
  }
  const merged = mergeRows(left, right, KEEPS[operator]);
  if (!merged.ok) return { ok: false, message: placeMismatch(left, merged.leftRow, right, merged.rightRow) };
  const set: ResultSet = {
    recordType: left.recordType ?? right.recordType,
    ids: merged.ids,
    locations: merged.picks === null ? null : takeLocations(merged.picks, left.locations, right.locations),
  };
  return { ok: true, set };
}

type MergedRows =
  | { readonly ok: true; readonly ids: readonly string[]; readonly picks: Int32Array | null }
  | { readonly ok: false; readonly leftRow: number; readonly rightRow: number };

function mergeRows(left: ResultSet, right: ResultSet, keeps: Keeps): MergedRows {
  const { ids: leftIds, locations: leftLocations } = left;
  const { ids: rightIds, locations: rightLocations } = right;
  const located = leftLocations !== null || rightLocations !== null;
  const room = leftIds.length + rightIds.length;
  // Allocates the arrays at full length, since growing them record by record takes twice the time.
  const ids = new Array<string>(room);
  const picks = new Int32Array(located ? room : 0);
  let count = 0;
  const differ = placeComparer(leftLocations, rightLocations);

  function addRow(id: string, pick: number): void {
    if (located) picks[count] = pick;
    ids[count] = id;
    count += 1;
  }

  let leftRow = 0;
  let rightRow = 0;
  while (leftRow < leftIds.length && rightRow < rightIds.length) {
    const leftId = leftIds[leftRow]!;
    const rightId = rightIds[rightRow]!;
    if (leftId === rightId) {
      if (differ(leftRow, rightRow)) return { ok: false, leftRow, rightRow };
      if (keeps.inBoth) addRow(leftId, isPlaced(leftLocations, leftRow) ? leftRow : ~rightRow);
      leftRow += 1;
      rightRow += 1;
    } else if (leftId < rightId) {
      if (keeps.onlyLeft) addRow(leftId, leftRow);
      leftRow += 1;
    } else {
      if (keeps.onlyRight) addRow(rightId, ~rightRow);
      rightRow += 1;
    }
  }
  if (keeps.onlyLeft) for (; leftRow < leftIds.length; leftRow += 1) addRow(leftIds[leftRow]!, leftRow);
  if (keeps.onlyRight) for (; rightRow < rightIds.length; rightRow += 1) addRow(rightIds[rightRow]!, ~rightRow);
  ids.length = count;
  return { ok: true, ids, picks: located ? picks.subarray(0, count) : null };
}

function isPlaced(locations: Locations | null, row: number): boolean {
  return locations !== null && locations.sequence[row]! >= 0;
}

function placeComparer(
  left: Locations | null,
  right: Locations | null,
): (leftRow: number, rightRow: number) => boolean {
  if (left === null || right === null) return () => false;
  const rightNumbers = new Map(right.sequences.map((name, index) => [name, index]));
  const toRight = Int32Array.from(left.sequences, (name) => rightNumbers.get(name) ?? -1);
  return (leftRow, rightRow) => {
    const leftSequence = left.sequence[leftRow]!;
    const rightSequence = right.sequence[rightRow]!;
    if (leftSequence < 0 || rightSequence < 0) return false;
    return (
      toRight[leftSequence] !== rightSequence ||
      left.start[leftRow] !== right.start[rightRow] ||
      left.stop[leftRow] !== right.stop[rightRow] ||
      left.strand[leftRow] !== right.strand[rightRow]
    );
  };
}

function typeMismatch(operator: BooleanOperator, left: string, right: string): string {
  return (
    `${operator} needs two sets of one record type; the left one holds ${quote(left)}, the right one ${quote(right)}. ` +
    'Turn one side into the other type first, or use COLOCATE to compare their places.'
  );
}

function placeMismatch(left: ResultSet, leftRow: number, right: ResultSet, rightRow: number): string {
  const leftPlace = locationId(locationAt(left.locations, leftRow)!);
  const rightPlace = locationId(locationAt(right.locations, rightRow)!);
  return (
    `The record ${quote(left.ids[leftRow]!)} is at ${leftPlace} in the left set and at ${rightPlace} in the right set. ` +
    'A record has one place: use one release of the annotation for both sets, or location ids as record ids.'
  );
}
