const MAX_NAME_LENGTH = 64;
/** The largest number of names that are compared. A document can have 20,000. */
const MAX_NAMES = 1_000;

export function didYouMean(written: string, known: Iterable<string>): string {
  const nearest = nearestName(written, known);
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}

/** The nearest known name, ignoring case, spaces, `-` and `_`; at most a third of the characters may differ. */
export function nearestName(written: string, known: Iterable<string>): string | undefined {
  if (written.length > MAX_NAME_LENGTH) return undefined;
  const from = folded(written);
  let nearest: string | undefined;
  let min = Infinity;
  let count = 0;
  for (const name of known) {
    if (++count > MAX_NAMES) break;
    if (name.length > MAX_NAME_LENGTH) continue;
    const to = folded(name);
    const allowed = Math.max(1, Math.floor(Math.max(from.length, to.length) / 3));
    if (Math.abs(from.length - to.length) > allowed) continue;
    const edits = editDistance(from, to);
    if (edits <= allowed && edits < Math.min(min, to.length)) {
      nearest = name;
      min = edits;
    }
  }
  return nearest;
}

function folded(name: string): string {
  return name
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, '');
}

/** Optimal string alignment distance: insertions, deletions, substitutions and swaps of neighbours. */
function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      let edits = Math.min(last[column]! + 1, current[column - 1]! + 1, last[column - 1]! + (same ? 0 : 1));
      const swapped = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      if (swapped) edits = Math.min(edits, beforeLast[column - 2]! + 1);
      current.push(edits);
    }
    beforeLast = last;
    last = current;
  }
  return last[to.length]!;
}
