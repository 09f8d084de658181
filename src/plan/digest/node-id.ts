import type { NodeId } from '../compiled-plan.ts';

const PREFIX = 'node_';

// The limit on the number of cached ids. All plans use the same ids, so the first ones are cached.
const MAX_KEPT = 200_000;
const idCache: NodeId[] = [];

export function idOfIndex(index: number): NodeId {
  while (idCache.length <= index && idCache.length < MAX_KEPT) idCache.push(`${PREFIX}${idCache.length + 1}`);
  return idCache[index] ?? `${PREFIX}${index + 1}`;
}

export function indexOfId(id: NodeId): number {
  let number = 0;
  for (let at = PREFIX.length; at < id.length; at++) number = number * 10 + id.charCodeAt(at) - 48;
  return number - 1;
}
