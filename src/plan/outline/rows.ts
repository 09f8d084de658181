import { badgeOf, foldedWords, tailOf, isNotable, type Outline, type OutlineEntry, MARKS } from './words.ts';
import { cutCharacters, oneLine } from '../text/index.ts';

/** Maximum characters of a title, so that a line fits into a panel of 85 columns. */
const TITLE = 48;
/** Maximum levels of nested Markdown lists. Deeper entries are at the last level. */
const LEVELS = 6;

export function outlineMarkdown(outline: Outline, options: RowOptions): readonly string[] {
  return rowsOf(outline, options).map(markdownLine);
}

function markdownLine(row: Row): string {
  const indent = '  '.repeat(Math.min(row.depth, LEVELS - 1));
  if (row.kind === 'folded') return `${indent}- ${escapeMarkdown(foldedWords(row.entries))}`;
  const { entry } = row;
  // Markdown reads an underscore inside a word literally, so the id needs no escape.
  const name = `${entry.id} ${escapeMarkdown(entry.key ?? entry.operator ?? '')}`.trimEnd();
  if (row.kind === 'seen') return `${indent}- see ${name}`;
  const badge = badgeOf(entry);
  const parts = [
    ...(entry.standing === undefined ? [] : [MARKS[entry.standing].mark]),
    name,
    ...(badge === '' ? [] : [`**${escapeMarkdown(badge)}**`]),
    escapeMarkdown(cutCharacters(oneLine(entry.title), TITLE)),
    ...tailOf(entry).map((part, at) => `${at === 0 ? '· ' : ''}${part}`),
  ];
  return `${indent}- ${parts.join(' ')}`;
}

/** Escapes a text from outside, so that it cannot act as Markdown. */
export function escapeMarkdown(text: string): string {
  return oneLine(text).replaceAll(/[\\`*_|<>[\]]/g, String.raw`\$&`);
}

interface TreePlace {
  readonly id: string;
  readonly depth: number;
  readonly prefix: string;
  /** True if the node and everything below it are also at an earlier place. */
  readonly seen: boolean;
}

const LAST = '└─ ';
const CUT = '… ';

interface Waiting {
  readonly id: string;
  readonly depth: number;
  readonly indent: string;
  readonly branch: string;
}

/** Lists the places of a tree, the root first. `columns` limits the indentation, so that deep chains leave room. */
export function treePlaces(
  roots: readonly string[],
  takes: (id: string) => readonly string[],
  columns: number,
): readonly TreePlace[] {
  const places: TreePlace[] = [];
  const listed = new Set<string>();
  const waiting: Waiting[] = roots.toReversed().map((id) => ({ id, depth: 0, indent: '', branch: '' }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { id, depth, indent, branch } = next;
    const seen = listed.has(id);
    listed.add(id);
    places.push({ id, depth, prefix: indent + branch, seen });
    if (seen) continue;
    const children = takes(id);
    const below = branch === '' ? '' : fitIndent(indent + (branch === LAST ? '   ' : '│  '), columns);
    for (let index = children.length - 1; index >= 0; index--) {
      const last = index === children.length - 1;
      waiting.push({ id: children[index]!, depth: depth + 1, indent: below, branch: last ? LAST : '├─ ' });
    }
  }
  return places;
}

function fitIndent(indent: string, columns: number): string {
  return indent.length <= columns ? indent : CUT + indent.slice(indent.length - columns + CUT.length);
}

export type Row = Pick<TreePlace, 'depth' | 'prefix'> &
  (
    | { readonly kind: 'node'; readonly entry: OutlineEntry }
    | { readonly kind: 'seen'; readonly entry: OutlineEntry }
    | { readonly kind: 'folded'; readonly entries: readonly OutlineEntry[] }
  );

export interface RowOptions {
  /** Maximum number of rows. Default: no limit. */
  readonly most?: number;
}

/** Maximum columns of indentation, so that a title has room on a line of 80 columns. */
const INDENT = 24;

/**
 * Arranges a plan in rows: steps as a list, any other plan as a tree. If there are more rows than `most`, these stay:
 * nodes that have an effect, are running or have failed, the nodes above them, then those nearest to the root. Each
 * group of other rows is folded into one.
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
    // A single hidden row is shown, since a folded row would take as much room.
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

function rootsOf({ root, entries }: Outline): readonly string[] {
  const placed = new Set([root]);
  for (const { takes } of entries.values()) for (const id of takes) placed.add(id);
  return [root, ...[...entries.keys()].filter((id) => !placed.has(id))];
}

/** @param next the depth of the next row. If it is smaller than that of the folded rows, the branch ends here */
function fold(hidden: readonly TreePlace[], entries: Outline['entries'], next: number): Row {
  const [{ depth, prefix: first }] = hidden as [TreePlace];
  const prefix = next < depth ? first.replace(/├─ $/, '└─ ') : first;
  const folded = hidden.flatMap(({ id, seen }) => (seen ? [] : [entries.get(id)!]));
  return { kind: 'folded', depth, prefix, entries: folded };
}

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

function parentsOf(places: readonly TreePlace[]): readonly number[] {
  const path: number[] = [];
  return places.map(({ depth }, at) => {
    path[depth] = at;
    return path[depth - 1] ?? 0;
  });
}
