/** The generated ids of nodes, `node_1` to `node_n`. */

import type { NodeId } from '../compiled-plan.ts';

const PREFIX = 'node_';

// Every plan has the same ids. Kept, they are made once and are quick to look up; at most so many are kept.
const MAX_KEPT = 200_000;
const kept: NodeId[] = [];

/** The id of the node at this place in dependency order: `node_1` at 0. */
export function idOfIndex(index: number): NodeId {
  while (kept.length <= index && kept.length < MAX_KEPT) kept.push(`${PREFIX}${kept.length + 1}`);
  return kept[index] ?? `${PREFIX}${index + 1}`;
}

/** The place of a generated id in dependency order: 0 of `node_1`. */
export function indexOfId(id: NodeId): number {
  let number = 0;
  for (let at = PREFIX.length; at < id.length; at++) number = number * 10 + id.charCodeAt(at) - 48;
  return number - 1;
}
