/** The rows of a plan: nodes at their places; parts of a large plan are folded and counted. */

import { isNotable, type Outline, type OutlineEntry } from './entry.ts';
import { treePlaces, type TreePlace } from './walk.ts';

/** A node at its place, or several folded into one row. */
export type Row = Pick<TreePlace, 'depth' | 'prefix'> &
  (
    | { readonly kind: 'node'; readonly entry: OutlineEntry }
    | { readonly kind: 'seen'; readonly entry: OutlineEntry }
    | { readonly kind: 'folded'; readonly entries: readonly OutlineEntry[] }
  );

export interface RowOptions {
  /** Rows at most. Default: unlimited. */
  readonly most?: number;
}

/** Columns of indentation, so that a title has room at 80 columns. */
const INDENT = 24;

/**
 * A plan of steps is a list in its order; any other plan is a tree with its root first. If there are more rows than
 * `most`, it keeps those with an effect, running or failed, all above them, then those nearest to the root. Each run of
 * other rows is folded into one.
 */
export function rowsOf(outline: Outline, { most = Infinity }: RowOptions = {}): readonly Row[] {
  const { entries } = outline;
  const places = isList(outline)
    ? [...entries.keys()].map((id): TreePlace => ({ id, depth: 0, prefix: '', seen: false }))
    : treePlaces(rootsOf(outline), (id) => entries.get(id)?.takes ?? [], INDENT);
  const rowAt = (place: TreePlace): Row => {
    const { id, depth, prefix, seen } = place;
    return { kind: seen ? 'seen' : 'node', depth, prefix, entry: entries.get(id)! };
  };
  if (places.length <= most) return places.map(rowAt);
  const stays = chosen(places, entries, Math.max(1, Math.floor(most / 2)));
  const rows: Row[] = [];
  for (let at = 0; at < places.length;) {
    let end = at;
    while (end < places.length && !stays.has(end)) end += 1;
    const hidden = places.slice(at, end);
    // A single hidden row needs no folding.
    if (hidden.length === 1) rows.push(rowAt(hidden[0]!));
    else if (hidden.length > 1) rows.push(fold(hidden, entries, places[end]?.depth ?? 0));
    if (end < places.length) rows.push(rowAt(places[end]!));
    at = end + 1;
  }
  return rows;
}

export function isList({ entries }: Outline): boolean {
  return [...entries.values()].every(({ key }) => key !== undefined);
}

/** The root, and every other node whose result nobody takes. */
function rootsOf({ root, entries }: Outline): readonly string[] {
  const taken = new Set([root]);
  for (const { takes } of entries.values()) for (const id of takes) taken.add(id);
  return [root, ...[...entries.keys()].filter((id) => !taken.has(id))];
}

/** @param next the depth of the next row: if it is less, the branch ends here */
function fold(hidden: readonly TreePlace[], entries: Outline['entries'], next: number): Row {
  const [{ depth, prefix: first }] = hidden as [TreePlace];
  const prefix = next < depth ? first.replace(/├─ $/, '└─ ') : first;
  const folded = hidden.flatMap(({ id, seen }) => (seen ? [] : [entries.get(id)!]));
  return { kind: 'folded', depth, prefix, entries: folded };
}

/** The places that stay visible, with everything above them. */
function chosen(places: readonly TreePlace[], entries: Outline['entries'], room: number): ReadonlySet<number> {
  const above = parentsOf(places);
  const ranks = places.map(({ id, seen }) => (!seen && isNotable(entries.get(id)!) ? 0 : 1));
  const wanted = places
    .map((_, at) => at)
    .toSorted((a, b) => ranks[a]! - ranks[b]! || places[a]!.depth - places[b]!.depth || a - b);
  const stays = new Set<number>([0]);
  for (const at of wanted) {
    if (stays.size >= room) break;
    const path: number[] = [];
    for (let up = at; !stays.has(up) && path.length <= room; up = above[up]!) path.push(up);
    if (stays.size + path.length <= room) for (const one of path) stays.add(one);
  }
  return stays;
}

/** For each place the index of its parent; the first for those at the top. */
function parentsOf(places: readonly TreePlace[]): readonly number[] {
  const path: number[] = [];
  return places.map(({ depth }, at) => {
    path[depth] = at;
    return path[depth - 1] ?? 0;
  });
}
