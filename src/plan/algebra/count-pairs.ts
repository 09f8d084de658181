/**
 * How many target intervals each probe interval meets, exactly, without visiting pairs.
 *
 * Let F(x, y) be the number of targets [c, d] with c <= x and d <= y. For a probe [a, b], both with first <= last:
 * - overlap  (c <= b and d >= a):  F(b, all) - F(all, a - 1), because d < a implies c <= b
 * - contains (c >= a and d <= b):  F(all, b) - F(a - 1, b)
 * - within   (c <= a and d >= b):  F(a, all) - F(a, b - 1)
 * F of one variable is a rank, found by merging two sorted columns; F of both is a sweep over starts that keeps the
 * stops passed so far as bits, counted by a Fenwick tree over words of 32. A giant interval costs what every other
 * one costs. Sequences lie end to end in the sort order, so that what stands on earlier ones cancels in each
 * difference.
 */

import { orderByPosition } from './position-order.ts';
import type { PositionOrder } from './position-order.ts';

/** Closed integer intervals on numbered sequences, start <= stop. */
export interface Intervals {
  readonly sequence: Uint32Array;
  readonly start: Uint32Array;
  readonly stop: Uint32Array;
}

/** The relation of the probe to the target: it overlaps, contains or lies within the target. */
export type PairRelation = 'overlap' | 'contains' | 'within';

/** The two ends of intervals, each in its own order. */
export interface OrderedEnds {
  readonly starts: PositionOrder;
  /**
   * `rows` are places in the order of starts: both orders are much the same, so that what goes from one to the other
   * stays near by in memory. Going over rows as they came would double the time.
   */
  readonly stops: PositionOrder;
}

export function orderEnds({ sequence, start, stop }: Intervals): OrderedEnds {
  const starts = orderByPosition(sequence, start);
  return { starts, stops: orderByPosition(inOrder(sequence, starts.rows), inOrder(stop, starts.rows)) };
}

/** For every probe row the number of targets that it meets. */
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

/** For every probe key, in order, the number of target keys at or below it moved by `shift`. */
function ranks({ keys: probes }: PositionOrder, shift: number, { keys: targets }: PositionOrder): Uint32Array {
  const result = new Uint32Array(probes.length);
  let at = 0;
  let passed = 0;
  // One step either way without a branch: which way is a coin toss, and wrong guesses would cost more than all the rest.
  while (at < probes.length && passed < targets.length) {
    const passes = Number(targets[passed]! <= probes[at]! + shift);
    result[at] = passed;
    passed += passes;
    at += 1 - passes;
  }
  return result.fill(passed, at);
}

/** The ranks of the probes' stops, in the order of their starts. */
function stopRanks({ stops }: OrderedEnds, shift: number, targets: PositionOrder): Uint32Array {
  return byRow(ranks(stops, shift, targets), stops.rows);
}

/** `contains` and `within`, probe by probe in the order of starts. */
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

function inOrder(column: Uint32Array, rows: Int32Array): Uint32Array {
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
