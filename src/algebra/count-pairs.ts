/**
 * How many target intervals each probe interval meets, exactly, without visiting pairs.
 *
 * Let F(x, y) be the number of targets [c, d] with c <= x and d <= y. For a probe [a, b], both with first <= last:
 * - overlap  (c <= b and d >= a):  F(b, all) - F(all, a - 1), because d < a implies c <= b
 * - contains (c >= a and d <= b):  F(all, b) - F(a - 1, b)
 * - within   (c <= a and d >= b):  F(a, all) - F(a, b - 1)
 * F of one variable is a rank, found by merging two sorted columns; F of both is a sweep over starts that keeps the
 * stops passed so far in a Fenwick tree. A giant interval costs what every other interval costs.
 * Sequences lie end to end in the sort order, so that what stands on earlier ones cancels in each difference.
 */

import { orderByPosition } from './position-order.ts';
import type { PositionOrder } from './position-order.ts';

/** Closed integer intervals on numbered sequences, start <= stop, all >= 0. */
export interface Intervals {
  readonly sequence: Int32Array;
  readonly start: Int32Array;
  readonly stop: Int32Array;
}

/** What the probe does: it overlaps, contains or lies within the target. */
export type PairRelation = 'overlap' | 'contains' | 'within';

/** The two ends of intervals, each in its own order. */
export interface OrderedEnds {
  readonly starts: PositionOrder;
  readonly stops: PositionOrder;
}

export function orderEnds({ sequence, start, stop }: Intervals): OrderedEnds {
  return { starts: orderByPosition(sequence, start), stops: orderByPosition(sequence, stop) };
}

/** For every probe row the number of targets that it meets. */
export function countPairs(probes: OrderedEnds, targets: OrderedEnds, relation: PairRelation): Uint32Array {
  switch (relation) {
    case 'overlap':
      return difference(ranks(probes.stops, 0, targets.starts), ranks(probes.starts, -1, targets.stops));
    case 'contains': {
      const stopRanks = ranks(probes.stops, 0, targets.stops);
      return difference(stopRanks, ranksInBoth(probes.starts, -1, stopRanks, targets));
    }
    case 'within': {
      const stopRanks = ranks(probes.stops, -1, targets.stops);
      return difference(ranks(probes.starts, 0, targets.starts), ranksInBoth(probes.starts, 0, stopRanks, targets));
    }
  }
}

/** For every probe row the number of target keys at or below its own key moved by `shift`. */
function ranks(probes: PositionOrder, shift: number, targets: PositionOrder): Uint32Array {
  const result = new Uint32Array(probes.rows.length);
  const { keys } = targets;
  let passed = 0;
  for (let at = 0; at < result.length; at += 1) {
    const limit = probes.keys[at]! + shift;
    while (passed < keys.length && keys[passed]! <= limit) passed += 1;
    result[probes.rows[at]!] = passed;
  }
  return result;
}

/**
 * As `ranks` over the starts, counting only targets among the first `stopRanks[row]` in the order of stops.
 * What the sweep reads is first laid out in its order: jumping between rows inside the sweep would double its time.
 */
function ranksInBoth(
  probeStarts: PositionOrder,
  shift: number,
  stopRanks: Uint32Array,
  targets: OrderedEnds,
): Uint32Array {
  const { starts, stops } = targets;
  const placeOfRow = new Uint32Array(stops.rows.length);
  for (let at = 0; at < placeOfRow.length; at += 1) placeOfRow[stops.rows[at]!] = at + 1;
  const places = inOrder(placeOfRow, starts.rows);
  const counts = inOrder(stopRanks, probeStarts.rows);
  const tree = new Uint32Array(places.length + 1);
  let passed = 0;
  for (let at = 0; at < counts.length; at += 1) {
    const limit = probeStarts.keys[at]! + shift;
    for (; passed < places.length && starts.keys[passed]! <= limit; passed += 1) countIn(tree, places[passed]!);
    counts[at] = countUpTo(tree, counts[at]!);
  }
  const result = new Uint32Array(counts.length);
  for (let at = 0; at < counts.length; at += 1) result[probeStarts.rows[at]!] = counts[at]!;
  return result;
}

function inOrder(column: Uint32Array, rows: Int32Array): Uint32Array {
  const ordered = new Uint32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) ordered[at] = column[rows[at]!]!;
  return ordered;
}

function countIn(tree: Uint32Array, place: number): void {
  for (let at = place; at < tree.length; at += at & -at) tree[at]! += 1;
}

function countUpTo(tree: Uint32Array, place: number): number {
  let count = 0;
  for (let at = place; at > 0; at -= at & -at) count += tree[at]!;
  return count;
}

function difference(from: Uint32Array, take: Uint32Array): Uint32Array {
  for (let row = 0; row < from.length; row += 1) from[row]! -= take[row]!;
  return from;
}
