/** The order of a plan, reckoned once: which nodes wait for which. */

/** The nodes that wait for each node. */
export function dependentsOf(waitsFor: readonly (readonly number[])[]): number[][] {
  const dependents: number[][] = waitsFor.map(() => []);
  waitsFor.forEach((needed, node) => {
    for (const one of needed) (dependents[one] as number[]).push(node);
  });
  return dependents;
}

/** How long the longest way from each node to the end is. A dependent always has the larger index, so one backward pass settles every rank. */
export function rankOf(dependents: readonly (readonly number[])[]): Int32Array {
  const rank = new Int32Array(dependents.length);
  for (let node = dependents.length - 1; node >= 0; node--) {
    for (const dependent of dependents[node] as readonly number[]) {
      rank[node] = Math.max(rank[node] as number, (rank[dependent] as number) + 1);
    }
  }
  return rank;
}
