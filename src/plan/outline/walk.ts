export interface TreePlace {
  readonly id: string;
  readonly depth: number;
  readonly prefix: string;
  /** True if an earlier place shows the node and everything below it. */
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

/**
 * The places of a tree, its root first; several roots follow each other. Indentation beyond `columns` is cut on the
 * left, else a deep chain takes quadratic space.
 */
export function treePlaces(
  roots: readonly string[],
  takes: (id: string) => readonly string[],
  columns: number,
): readonly TreePlace[] {
  const places: TreePlace[] = [];
  const shown = new Set<string>();
  const waiting: Waiting[] = roots.toReversed().map((id) => ({ id, depth: 0, indent: '', branch: '' }));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { id, depth, indent, branch } = next;
    const seen = shown.has(id);
    shown.add(id);
    places.push({ id, depth, prefix: indent + branch, seen });
    if (seen) continue;
    const children = takes(id);
    const below = branch === '' ? '' : cut(indent + (branch === LAST ? '   ' : '│  '), columns);
    for (let index = children.length - 1; index >= 0; index--) {
      const last = index === children.length - 1;
      waiting.push({ id: children[index]!, depth: depth + 1, indent: below, branch: last ? LAST : '├─ ' });
    }
  }
  return places;
}

function cut(indent: string, columns: number): string {
  return indent.length <= columns ? indent : CUT + indent.slice(indent.length - columns + CUT.length);
}
