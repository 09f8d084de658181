/** The lines of located records in a file, in order. */

import {
  everyRow,
  placeAt,
  rowsInOrder,
  type Parts,
  type ResultLocation,
  type ResultSet,
} from '../../plan/algebra/index.ts';

export interface PlacedLine {
  readonly id: string;
  readonly place: ResultLocation;
  readonly start: number;
  readonly stop: number;
  /** The phase as in GFF3; a dot if there is none. */
  readonly phase: 0 | 1 | 2 | '.';
  readonly isPart: boolean;
}

/** A line for each record or, with `parts`, for each part. Ordered by sequence (code units), start, end and id. */
export function* placedLines(set: ResultSet, pieces: 'whole' | 'parts'): Generator<PlacedLine, void, undefined> {
  if (set.locations === null) return;
  const { sequences, sequence, parts } = set.locations;
  const spans = { row: everyRow(set.ids.length), start: set.locations.start, stop: set.locations.stop };
  const inParts = new Set(pieces === 'parts' ? parts?.row : []);
  const lines = inParts.size === 0 ? { ...spans, phase: undefined } : inPieces(spans, parts!, inParts);
  const ranks = new Map(sequences.toSorted().map((name, rank) => [name, rank]));
  const rankOf = Uint32Array.from(sequences, (name) => ranks.get(name)!);
  const rank = new Uint32Array(lines.row.length);
  for (let at = 0; at < rank.length; at += 1) rank[at] = rankOf[sequence[lines.row[at]!]!]!;
  // Lines are already ordered by id, and the sort is stable.
  for (const at of rowsInOrder([rank, unsigned(lines.start), unsigned(lines.stop)])) {
    const row = lines.row[at]!;
    const phase = lines.phase?.[at] ?? -1;
    yield {
      id: set.ids[row]!,
      place: placeAt(set.locations, row)!,
      start: lines.start[at]!,
      stop: lines.stop[at]!,
      phase: phase === -1 ? '.' : (phase as 0 | 1 | 2),
      isPart: inParts.has(row),
    };
  }
}

type Columns = Omit<Parts, 'phase'>;

/** The spans of records without parts, and the parts of the others, ordered by row. */
function inPieces(spans: Columns, parts: Parts, inParts: ReadonlySet<number>): Parts {
  const count = spans.row.length - inParts.size + parts.row.length;
  const lines = {
    ...{ row: new Int32Array(count), start: new Int32Array(count), stop: new Int32Array(count) },
    phase: new Int8Array(count).fill(-1),
  };
  let to = 0;
  let part = 0;
  for (const row of spans.row) {
    if (!inParts.has(row)) {
      lines.row[to] = row;
      lines.start[to] = spans.start[row]!;
      lines.stop[to] = spans.stop[row]!;
      to += 1;
    }
    for (; parts.row[part] === row; part += 1, to += 1) {
      lines.row[to] = row;
      lines.start[to] = parts.start[part]!;
      lines.stop[to] = parts.stop[part]!;
      lines.phase[to] = parts.phase[part]!;
    }
  }
  return lines;
}

function unsigned(column: Int32Array): Uint32Array {
  return new Uint32Array(column.buffer, column.byteOffset, column.length);
}
