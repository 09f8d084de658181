/**
 * Counts exactly how many target intervals match each probe interval, without visiting the pairs. Let F(x, y) be the
 * number of targets [c, d] with c <= x and d <= y. For a probe [a, b]: overlap is F(b, all) - F(all, a - 1), because d
 * < a implies c <= b; contains (c >= a and d <= b) is F(all, b) - F(a - 1, b); within (c <= a and d >= b) is F(a, all)
 * - F(a, b - 1). F of one variable is a rank, which a merge of two sorted columns finds. F of both variables is a sweep
 * over the starts, which stores the stops as bits and counts them by a Fenwick tree over words of 32 bits. Sequences
 * follow each other in the sort order, so intervals on earlier ones cancel in each difference.
 */

import { orderByPosition } from './position-order.ts';
import type { PositionOrder } from './position-order.ts';

/** Closed integer intervals on numbered sequences; in each row, start <= stop. */
export interface Intervals {
  readonly sequence: Uint32Array;
  readonly start: Uint32Array;
  readonly stop: Uint32Array;
}

export type PairRelation = 'overlap' | 'contains' | 'within';

export interface OrderedEnds {
  readonly starts: PositionOrder;
  /** The order of the stops. Its `rows` are indexes into the order of the starts, which keeps memory access local. */
  readonly stops: PositionOrder;
}

export function orderEnds({ sequence, start, stop }: Intervals): OrderedEnds {
  const starts = orderByPosition(sequence, start);
  return { starts, stops: orderByPosition(columnInOrder(sequence, starts.rows), columnInOrder(stop, starts.rows)) };
}

export function countPairs(probes: OrderedEnds, targets: OrderedEnds, relation: PairRelation): Uint32Array {
  const inStartOrder = countInStartOrder(probes, targets, relation);
  return byRow(inStartOrder, probes.starts.rows);
}

function countInStartOrder(probes: OrderedEnds, targets: OrderedEnds, relation: PairRelation): Uint32Array {
  if (relation === 'overlap') {
    return difference(stopRanks(probes, 0, targets.starts), ranks(probes.starts, -1, targets.stops));
  }
  return sweep(probes, targets, relation);
}

/** For each probe key, in order, the number of target keys that are at most the probe key plus `shift`. */
function ranks({ keys: probes }: PositionOrder, shift: number, { keys: targets }: PositionOrder): Uint32Array {
  const result = new Uint32Array(probes.length);
  let at = 0;
  let passed = 0;
  // Advances without a branch, since mispredicted branches would cost more than everything else.
  while (at < probes.length && passed < targets.length) {
    const passes = Number(targets[passed]! <= probes[at]! + shift);
    result[at] = passed;
    passed += passes;
    at += 1 - passes;
  }
  return result.fill(passed, at);
}

function stopRanks({ stops }: OrderedEnds, shift: number, targets: PositionOrder): Uint32Array {
  return byRow(ranks(stops, shift, targets), stops.rows);
}

function sweep(probes: OrderedEnds, { starts, stops }: OrderedEnds, relation: 'contains' | 'within'): Uint32Array {
  const isWithin = relation === 'within';
  const shift = isWithin ? 0 : -1;
  const below = stopRanks(probes, isWithin ? -1 : 0, stops);
  const places = new Uint32Array(starts.keys.length);
  for (let at = 0; at < places.length; at += 1) places[stops.rows[at]!] = at;
  const words = new Uint32Array((places.length >>> 5) + 1);
  const tree = new Uint32Array(words.length + 1);
  let passed = 0;
  for (let at = 0; at < below.length; at += 1) {
    const limit = probes.starts.keys[at]! + shift;
    for (; passed < places.length && starts.keys[passed]! <= limit; passed += 1) countIn(words, tree, places[passed]!);
    const inBoth = countBelow(words, tree, below[at]!);
    below[at] = (isWithin ? passed : below[at]!) - inBoth;
  }
  return below;
}

function columnInOrder(column: Uint32Array, rows: Int32Array): Uint32Array {
  const ordered = new Uint32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) ordered[at] = column[rows[at]!]!;
  return ordered;
}

function byRow(ordered: Uint32Array, rows: Int32Array): Uint32Array {
  const column = new Uint32Array(rows.length);
  for (let at = 0; at < rows.length; at += 1) column[rows[at]!] = ordered[at]!;
  return column;
}

function countIn(words: Uint32Array, tree: Uint32Array, place: number): void {
  const word = place >>> 5;
  words[word]! |= 1 << (place & 31);
  for (let at = word + 1; at < tree.length; at += at & -at) tree[at]! += 1;
}

function countBelow(words: Uint32Array, tree: Uint32Array, place: number): number {
  const word = place >>> 5;
  let count = bitCount(words[word]! & ((1 << (place & 31)) - 1));
  for (let at = word; at > 0; at -= at & -at) count += tree[at]!;
  return count;
}

function bitCount(word: number): number {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

function difference(from: Uint32Array, take: Uint32Array): Uint32Array {
  for (let row = 0; row < from.length; row += 1) from[row]! -= take[row]!;
  return from;
}
