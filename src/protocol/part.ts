/** A part executes many reads and set operators in one activity. It gets ranges of nodes, and returns columns. */

import type { Noted } from './activities.ts';
import { RESULT_KINDS, type ResultHandle } from './nodes.ts';
import { given } from './payload.ts';
import { allOf, eachOf, maybe, problemOf, type Check, type Of, type Shape } from './shape.ts';

export const MAX_PART_NODES = 4096;
/** Maximum number of results that a part uses from nodes outside it. */
export const MAX_PART_INPUTS = 8192;
const REF = 43;

/** Writes node indexes as ranges, in order. @example rangesOf([0, 1, 2, 7]); // '0-2,7' */
export function rangesOf(nodes: readonly number[]): string {
  const ranges: string[] = [];
  for (let at = 0; at < nodes.length; at += 1) {
    const from = nodes[at];
    while (nodes[at + 1] === (nodes[at] ?? 0) + 1) at += 1;
    ranges.push(from === nodes[at] ? `${from}` : `${from}-${nodes[at]}`);
  }
  return ranges.join(',');
}

/** The indexes in a text of ranges, which the check `RANGES` must have accepted. */
export function nodesIn(ranges: string): readonly number[] {
  const nodes: number[] = [];
  for (const range of ranges === '' ? [] : ranges.split(',')) {
    const [from = 0, to = from] = range.split('-').map(Number);
    for (let node = from; node <= to; node += 1) nodes.push(node);
  }
  return nodes;
}

const FORM = /^(?:\d{1,9}(?:-\d{1,9})?(?:,\d{1,9}(?:-\d{1,9})?)*)?$/;

/** Checks a text of ranges: ascending, with at most `MAX_PART_INPUTS` nodes in total. */
const RANGES: Check<string> = (value, path) => {
  const wrong = `${path}: expected ranges of at most ${MAX_PART_INPUTS} nodes in rising order, such as "0-511,513"`;
  if (typeof value !== 'string' || !FORM.test(value)) return wrong;
  let last = -1;
  let total = 0;
  for (const range of value === '' ? [] : value.split(',')) {
    const [from = 0, to = from] = range.split('-').map(Number);
    total += to - from + 1;
    if (from <= last || to < from || total > MAX_PART_INPUTS) return wrong;
    last = to;
  }
  return undefined;
};

export const PART = {
  firstRunId: 'name',
  revision: 'ref',
  nodes: RANGES,
  /** The nodes outside the part whose results it uses; `refs` has the references of these, joined into one text. */
  from: RANGES,
  refs: 'text',
  /** Nodes that were begun before this part. The store may already have their results. */
  again: maybe(RANGES),
  slots: 'count',
  /** The task id of the first node. The other nodes have the ids after it, in order. */
  work: 'count',
  /** The key that the part's reports must contain. */
  key: 'name',
  awaited: RANGES,
} as const;

export type PartRequest = Of<typeof PART>;

export function refsFrom({ from, refs }: Pick<PartRequest, 'from' | 'refs'>): ReadonlyMap<number, string> {
  return new Map(nodesIn(from).map((node, place) => [node, refs.slice(place * REF, (place + 1) * REF)]));
}

export interface PartEnd {
  readonly node: number;
  readonly handle: ResultHandle & Noted;
}

const ENDS = {
  /** The nodes with a result, as columns. One record per node would take twice the bytes. */
  done: {
    nodes: ['count'],
    /** The results' references, joined into one text. */
    refs: 'text',
    /** The first letter of each result's kind. */
    kinds: 'text',
    counts: ['count'],
    bytes: ['count'],
    notes: maybe(eachOf(['text'])),
  },
  /** Nodes that the part returns. Each gets its own activity, in which it can retry, ask and wait. */
  alone: maybe(RANGES),
  /** Labels of executors whose nodes may not run in parts any more. */
  barred: maybe(['text']),
} as const;

export type PartEnds = Of<typeof ENDS>;

const LETTERS = new Map(RESULT_KINDS.map((kind) => [kind.charAt(0), kind]));

/** Checks a report of ended nodes: all columns must have the same length. */
export const PART_ENDS: Shape = allOf(ENDS, (value, path) => {
  const { nodes, refs, kinds, counts, bytes } = (value as PartEnds).done;
  const total = nodes.length;
  const isWhole = [kinds.length, counts.length, bytes.length].every((length) => length === total);
  const isKnown = Array.from(kinds).every((letter) => LETTERS.has(letter));
  const isRefs = refs.length === total * REF && /^[\w-]*$/.test(refs);
  return isWhole && isKnown && isRefs ? undefined : `${path}.done: expected columns that belong together`;
});

/** A signal from a part: the key of its request, and the nodes that have ended since the previous signal. */
export interface PartNews {
  readonly key: string;
  readonly ends: PartEnds;
}

export function newsIn(message: unknown, isKey: (key: string) => boolean): PartNews | undefined {
  const isNews = problemOf({ key: 'name' }, message) === undefined && isKey((message as PartNews).key);
  return isNews && problemOf({ ends: PART_ENDS }, message) === undefined ? (message as PartNews) : undefined;
}

export function packEnds(
  ends: readonly PartEnd[],
  { alone = [], barred = [] }: { readonly alone?: readonly number[]; readonly barred?: readonly string[] } = {},
): PartEnds {
  const notes = ends.flatMap(({ node, handle }) => (handle.notes === undefined ? [] : [[node, handle.notes] as const]));
  return {
    done: {
      nodes: ends.map(({ node }) => node),
      refs: ends.map(({ handle }) => handle.ref).join(''),
      kinds: ends.map(({ handle }) => handle.kind.charAt(0)).join(''),
      counts: ends.map(({ handle }) => handle.count),
      bytes: ends.map(({ handle }) => handle.bytes),
      ...(notes.length > 0 && { notes: Object.fromEntries(notes) }),
    },
    ...(alone.length > 0 && { alone: rangesOf(alone.toSorted((a, b) => a - b)) }),
    ...(barred.length > 0 && { barred }),
  };
}

export function unpackEnds({ done }: Pick<PartEnds, 'done'>): readonly PartEnd[] {
  const { nodes, refs, kinds, counts, bytes, notes = {} } = done;
  return nodes.map((node, at) => {
    const kind = LETTERS.get(kinds.charAt(at)) ?? 'value';
    const ref = refs.slice(at * REF, (at + 1) * REF);
    return {
      node,
      handle: { ref, kind, count: counts[at] ?? 0, bytes: bytes[at] ?? 0, ...given({ notes: notes[node] }) },
    };
  });
}
