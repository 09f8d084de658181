/** Rows sorted by sequence and position, and for each row a number that stands for both. */
export interface PositionOrder {
  readonly rows: Int32Array;
  /** Sequence and position as one number, exact since sequences are below 2^21 and positions below 2^32 - 1. */
  readonly keys: Float64Array;
}

export function orderByPosition(sequence: Uint32Array, position: Uint32Array): PositionOrder {
  const ordered = isOrdered(sequence, position) ? everyRow(position.length) : rowsInOrder([sequence, position]);
  const keys = new Float64Array(ordered.length);
  for (let at = 0; at < keys.length; at += 1) {
    const row = ordered[at]!;
    keys[at] = sequence[row]! * 2 ** 32 + position[row]!;
  }
  return { rows: ordered, keys };
}

/** The row indexes in ascending order of these columns, the first column first. The sort is stable. */
export function rowsInOrder(columns: readonly [Uint32Array, ...Uint32Array[]]): Int32Array {
  return columns.reduceRight<Int32Array>((rows, column) => sortBy(column, rows), everyRow(columns[0].length));
}

export function everyRow(count: number): Int32Array<ArrayBuffer> {
  const rows = new Int32Array(count);
  for (let row = 0; row < count; row += 1) rows[row] = row;
  return rows;
}

function isOrdered(sequence: Uint32Array, position: Uint32Array): boolean {
  for (let row = 1; row < position.length; row += 1) {
    const step = sequence[row]! - sequence[row - 1]!;
    if (step < 0 || (step === 0 && position[row]! < position[row - 1]!)) return false;
  }
  return true;
}

const DIGIT_BITS = 11;
const DIGITS = 1 << DIGIT_BITS;

function sortBy(column: Uint32Array, rows: Int32Array): Int32Array {
  let from = rows;
  let to: Int32Array = new Int32Array(rows.length);
  // Each value moves with its row, since looking it up for every digit would triple the time.
  let values = new Uint32Array(rows.length);
  let toValues = new Uint32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) values[at] = column[rows[at]!]!;
  for (let shift = 0; shift < 32; shift += DIGIT_BITS) {
    const next = digitStarts(values, shift);
    if (next === null) continue;
    for (let at = 0; at < from.length; at += 1) {
      const value = values[at]!;
      const digit = (value >>> shift) & (DIGITS - 1);
      const place = next[digit]!;
      next[digit] = place + 1;
      to[place] = from[at]!;
      toValues[place] = value;
    }
    [from, to] = [to, from];
    [values, toValues] = [toValues, values];
  }
  return from;
}

/** The index at which each digit begins in the sorted order; null if all values have the same digit. */
function digitStarts(values: Uint32Array, shift: number): Int32Array | null {
  const starts = new Int32Array(DIGITS + 1);
  for (let at = 0; at < values.length; at += 1) starts[((values[at]! >>> shift) & (DIGITS - 1)) + 1]! += 1;
  for (let digit = 1; digit <= DIGITS; digit += 1) {
    if (starts[digit] === values.length) return null;
    starts[digit]! += starts[digit - 1]!;
  }
  return starts;
}
