import type { Locations, Parts, CodonPhase, RecordPart } from './result-set.ts';

export function partsAt(parts: Parts | undefined, row: number): readonly RecordPart[] | undefined {
  let at = firstPart(parts, row);
  if (parts === undefined || at === -1) return undefined;
  const found: RecordPart[] = [];
  for (; parts.row[at] === row; at += 1) {
    const phase = parts.phase[at]!;
    found.push({ start: parts.start[at]!, stop: parts.stop[at]!, ...(phase !== -1 && { phase: phase as CodonPhase }) });
  }
  return found;
}

export function rowHasParts(parts: Parts | undefined, row: number): boolean {
  return firstPart(parts, row) !== -1;
}

export function sameParts(left: Parts, leftRow: number, right: Parts, rightRow: number): boolean {
  let at = firstPart(left, leftRow);
  let other = firstPart(right, rightRow);
  for (; left.row[at] === leftRow && right.row[other] === rightRow; at += 1, other += 1) {
    if (left.start[at] !== right.start[other] || left.stop[at] !== right.stop[other]) return false;
    if (left.phase[at] !== right.phase[other]) return false;
  }
  return left.row[at] !== leftRow && right.row[other] !== rightRow;
}

export function takeParts(picks: Int32Array, left: Locations | null, right: Locations | null): Parts | undefined {
  if (left?.parts === undefined && right?.parts === undefined) return undefined;
  const room = (left?.parts?.row.length ?? 0) + (right?.parts?.row.length ?? 0);
  const selected = emptyParts(room);
  let count = 0;
  for (let to = 0; to < picks.length; to += 1) {
    const pick = picks[to]!;
    const from = (pick >= 0 ? left : right)?.parts;
    const row = pick >= 0 ? pick : ~pick;
    const first = firstPart(from, row);
    if (from === undefined || first === -1) continue;
    for (let at = first; from.row[at] === row; at += 1, count += 1) {
      selected.row[count] = to;
      selected.start[count] = from.start[at]!;
      selected.stop[count] = from.stop[at]!;
      selected.phase[count] = from.phase[at]!;
    }
  }
  return cutParts(selected, count);
}

/** Builds columns of parts. A list has start, stop and phase (-1 for none) of each part of a row, in any order. */
export function partsColumns(lists: ReadonlyMap<number, readonly number[]>): Parts | undefined {
  let room = 0;
  for (const list of lists.values()) room += list.length / PART_NUMBERS;
  const columns = emptyParts(room);
  let count = 0;
  for (const row of Int32Array.from(lists.keys()).sort()) {
    for (const [start, stop, phase] of sortedParts(lists.get(row)!)) {
      columns.row[count] = row;
      columns.start[count] = start;
      columns.stop[count] = stop;
      columns.phase[count] = phase;
      count += 1;
    }
  }
  return cutParts(columns, count);
}

/** The parts of a record as one sorted flat list of numbers, so that equal parts give equal lists. */
export function partNumbers(parts: readonly RecordPart[]): readonly number[] {
  return sortedParts(parts.flatMap(({ start, stop, phase = -1 }) => [start, stop, phase])).flat();
}

export function partsProblem({ parts, sequence, start, stop }: Locations, count: number): string | undefined {
  if (parts === undefined) return undefined;
  if (typeof parts !== 'object' || parts === null) return 'parts is no object of columns';
  const { row, phase } = parts;
  if (!(row instanceof Int32Array) || row.length === 0) return 'parts.row is no Int32Array with rows';
  for (const [name, column] of Object.entries({ start: parts.start, stop: parts.stop })) {
    if (!(column instanceof Int32Array) || column.length !== row.length)
      return `parts.${name} is no Int32Array of ${row.length} rows`;
  }
  if (!(phase instanceof Int8Array) || phase.length !== row.length)
    return `parts.phase is no Int8Array of ${row.length} rows`;
  for (let at = 0; at < row.length;) {
    const own = row[at]!;
    if (own < 0 || own >= count || sequence[own] === -1)
      return `parts[${at}] is of row ${own}, which is none with a place`;
    let farthest = 0;
    const first = at;
    for (; row[at] === own; at += 1) {
      const problem = partProblem(parts, at, first);
      if (problem !== undefined) return `parts[${at}] of row ${own} ${problem}`;
      farthest = Math.max(farthest, parts.stop[at]!);
    }
    if (at === first + 1) return `row ${own} has one part; a record in one piece has none`;
    if (row[at]! < own) return `parts[${at}] is of row ${row[at]} after row ${own}; parts are in the order of rows`;
    if (parts.start[first] !== start[own] || farthest !== stop[own]) {
      return `the parts of row ${own} reach from ${parts.start[first]} to ${farthest}, and its place from ${start[own]} to ${stop[own]}`;
    }
  }
  return undefined;
}

function partProblem({ start, stop, phase }: Parts, at: number, first: number): string | undefined {
  if (start[at]! < 1 || start[at]! > stop[at]!)
    return `stands from ${start[at]} to ${stop[at]}; expected 1 <= start <= stop`;
  if (phase[at]! < -1 || phase[at]! > 2) return `has phase ${phase[at]}; expected 0, 1, 2, or -1 for none`;
  if (at === first) return undefined;
  const before = start[at - 1]! - start[at]! || stop[at - 1]! - stop[at]! || phase[at - 1]! - phase[at]!;
  return before < 0 ? undefined : 'stands before the part that comes ahead of it, or is the same';
}

export const PART_NUMBERS = 3;

function sortedParts(list: readonly number[]): readonly (readonly [number, number, number])[] {
  const parts = Array.from(
    { length: list.length / PART_NUMBERS },
    (_, at) => list.slice(at * PART_NUMBERS, (at + 1) * PART_NUMBERS) as [number, number, number],
  );
  return parts
    .sort((one, other) => one[0] - other[0] || one[1] - other[1] || one[2] - other[2])
    .filter((part, at) => at === 0 || part.some((number, column) => number !== parts[at - 1]![column]));
}

function firstPart(parts: Parts | undefined, row: number): number {
  if (parts === undefined) return -1;
  let low = 0;
  let high = parts.row.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (parts.row[middle]! < row) low = middle + 1;
    else high = middle;
  }
  return parts.row[low] === row ? low : -1;
}

function emptyParts(room: number): Parts {
  const [row, start, stop] = [new Int32Array(room), new Int32Array(room), new Int32Array(room)];
  return { row, start, stop, phase: new Int8Array(room) };
}

function cutParts({ row, start, stop, phase }: Parts, count: number): Parts | undefined {
  if (count === 0) return undefined;
  return {
    row: row.slice(0, count),
    start: start.slice(0, count),
    stop: stop.slice(0, count),
    phase: phase.slice(0, count),
  };
}
