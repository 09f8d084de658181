/** Cycles among the steps of a list. */

/** The members of the cycle that an edge is part of, or nothing when it is part of none. */
export type CycleOf = (from: number, to: number) => readonly number[] | undefined;

/**
 * The cycles of a graph whose nodes are numbered from 0: `waitsFor[n]` lists what n waits for, `more` adds edges.
 * Tarjan's strongly connected components, iterative and linear.
 */
export function findCycles(
  waitsFor: readonly (readonly number[])[],
  more: readonly (readonly [from: number, to: number, ...rest: unknown[]])[],
): CycleOf {
  const edges = waitsFor.map((targets) => [...targets]);
  for (const [from, to] of more) edges[from]!.push(to);
  const order = new Int32Array(edges.length).fill(-1);
  const low = new Int32Array(edges.length);
  const next = new Int32Array(edges.length);
  const component = new Int32Array(edges.length).fill(-1);
  const members: number[][] = [];
  const waiting: number[] = [];
  let count = 0;
  for (let start = 0; start < edges.length; start++) if (order[start]! < 0) visit(start);
  return (from, to) => (component[from] === component[to] ? members[component[from]!] : undefined);

  function visit(start: number): void {
    const open = [start];
    while (open.length > 0) {
      const node = open.at(-1)!;
      if (order[node]! < 0) {
        order[node] = low[node] = count++;
        waiting.push(node);
      }
      const target = edges[node]![next[node]!++];
      if (target === undefined) {
        open.pop();
        const parent = open.at(-1);
        if (parent !== undefined) low[parent] = Math.min(low[parent]!, low[node]!);
        if (low[node] === order[node]) close(node);
      } else if (order[target]! < 0) open.push(target);
      else if (component[target]! < 0) low[node] = Math.min(low[node]!, order[target]!);
    }
  }

  function close(root: number): void {
    const cycle: number[] = [];
    let node: number;
    do {
      node = waiting.pop()!;
      component[node] = members.length;
      cycle.push(node);
    } while (node !== root);
    members.push(cycle.sort((one, other) => one - other));
  }
}
