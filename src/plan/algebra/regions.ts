/** The regions that COLOCATE compares, as in VEuPathDB's WDK, except that a region may reach below position 1. */

import { briefJson } from '../text/index.ts';
import { MAX_POSITION } from './locations.ts';
import type { Locations } from './result-set.ts';

/**
 * A region of a record: the record itself (`exact`), a number of bases before its start (`upstream`) or after its stop
 * (`downstream`), or two bases. Regions follow the strand of the record; without one, it counts as forward.
 */
export type Region =
  | 'exact'
  | { readonly upstream: number }
  | { readonly downstream: number }
  | { readonly begin: RegionEnd; readonly end: RegionEnd };

/** One end of a region: a base `offset` bases from the first (`start`) or last (`stop`) base of the record. */
export interface RegionEnd {
  readonly anchor: 'start' | 'stop';
  readonly direction: 'upstream' | 'downstream';
  /** Number of bases, an integer from 0 to `MAX_REGION_OFFSET`. */
  readonly offset: number;
}

/** The common form of all regions: two bases, each with a distance from an anchor (positive means downstream). */
export interface Window {
  readonly begin: Bound;
  readonly end: Bound;
}

interface Bound {
  readonly fromStart: boolean;
  readonly offset: number;
}

/** The windows of a set's records. `strand` is `NOWHERE` if a window contains no base. */
export interface PlacedWindows {
  /** Each position plus 2^30, so that regions beyond either end of a sequence fit into unsigned 32 bits. */
  readonly start: Uint32Array;
  readonly stop: Uint32Array;
  readonly strand: Int8Array;
}

export const NOWHERE = 2;

const SHIFT = 2 ** 30;
export const MAX_REGION_OFFSET = SHIFT - 1;

export function windowAround(upstream: number, downstream: number): Window {
  return { begin: { fromStart: true, offset: -upstream }, end: { fromStart: false, offset: downstream } };
}

export function windowOf(region: Region): Window {
  if (region === 'exact') return windowAround(0, 0);
  if ('upstream' in region) return windowFrom(true, -region.upstream, -1);
  if ('downstream' in region) return windowFrom(false, 1, region.downstream);
  return { begin: boundOf(region.begin), end: boundOf(region.end) };
}

/** Computes the windows of records. If a window exceeds the range of 32 bits, it ends there. */
export function placeWindows(locations: Locations, { begin, end }: Window): PlacedWindows {
  const start = new Uint32Array(locations.start.length);
  const stop = new Uint32Array(start.length);
  const strand = locations.strand.slice();
  for (let row = 0; row < start.length; row += 1) {
    const low = locations.start[row]!;
    const high = locations.stop[row]!;
    const isReverse = strand[row] === -1;
    const first = isReverse ? (end.fromStart ? high : low) - end.offset : (begin.fromStart ? low : high) + begin.offset;
    const last = isReverse ? (begin.fromStart ? high : low) - begin.offset : (end.fromStart ? low : high) + end.offset;
    if (first > last) strand[row] = NOWHERE;
    start[row] = Math.max(0, Math.min(first, MAX_POSITION + SHIFT) + SHIFT);
    stop[row] = Math.max(0, Math.min(last, MAX_POSITION + SHIFT) + SHIFT);
  }
  return { start, stop, strand };
}

/** A phrase that says why a value is not a region, to be written after the field's name; undefined if it is one. */
export function regionProblem(region: Region): string | undefined {
  if (region === 'exact') return undefined;
  if (typeof region !== 'object' || region === null) return `is ${briefJson(region)}; expected "exact" or an object`;
  if ('upstream' in region) return offsetProblem(region.upstream, 'upstream');
  if ('downstream' in region) return offsetProblem(region.downstream, 'downstream');
  for (const name of ['begin', 'end'] as const) {
    const bound: unknown = region[name];
    if (typeof bound !== 'object' || bound === null) return `has no ${name}`;
    const { anchor, direction, offset } = region[name];
    if (anchor !== 'start' && anchor !== 'stop')
      return `has the ${name} anchor ${briefJson(anchor)}; expected start or stop`;
    if (direction !== 'upstream' && direction !== 'downstream') {
      return `has the ${name} direction ${briefJson(direction)}; expected upstream or downstream`;
    }
    const problem = offsetProblem(offset, `${name} offset`);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function windowFrom(fromStart: boolean, first: number, last: number): Window {
  return { begin: { fromStart, offset: first }, end: { fromStart, offset: last } };
}

function boundOf({ anchor, direction, offset }: RegionEnd): Bound {
  return { fromStart: anchor === 'start', offset: direction === 'upstream' ? -offset : offset };
}

function offsetProblem(offset: number, name: string): string | undefined {
  if (Number.isInteger(offset) && offset >= 0 && offset <= MAX_REGION_OFFSET) return undefined;
  return `has the ${name} ${briefJson(offset)}; expected a number of bases, an integer from 0 to ${MAX_REGION_OFFSET}`;
}
