/** A binary heap of node indexes. The longest remaining path comes first, then the smaller index. */
export interface ReadyQueue {
  readonly heap: number[];
  /** `rank[i]` is the number of nodes on the longest path from node i to the root. */
  readonly rank: Int32Array;
}

export function createReadyQueue(rank: Int32Array): ReadyQueue {
  return { heap: [], rank };
}

export function pushReady(queue: ReadyQueue, node: number): void {
  const { heap } = queue;
  let at = heap.push(node) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(queue, at, parent)) return;
    swap(heap, at, parent);
    at = parent;
  }
}

export function popReady(queue: ReadyQueue): number | undefined {
  const { heap } = queue;
  const top = heap[0];
  const last = heap.pop();
  if (heap.length === 0 || last === undefined) return top;
  heap[0] = last;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    if (left >= heap.length) return top;
    const child = left + 1 < heap.length && isBefore(queue, left + 1, left) ? left + 1 : left;
    if (!isBefore(queue, child, at)) return top;
    swap(heap, at, child);
    at = child;
  }
}

function isBefore({ heap, rank }: ReadyQueue, a: number, b: number): boolean {
  const left = heap[a] as number;
  const right = heap[b] as number;
  const difference = (rank[left] as number) - (rank[right] as number);
  return difference > 0 || (difference === 0 && left < right);
}

function swap(heap: number[], a: number, b: number): void {
  const first = heap[a] as number;
  heap[a] = heap[b] as number;
  heap[b] = first;
}

export function dependentsOf(waitsFor: readonly (readonly number[])[]): number[][] {
  const dependents: number[][] = waitsFor.map(() => []);
  waitsFor.forEach((needed, node) => {
    for (const one of needed) (dependents[one] as number[]).push(node);
  });
  return dependents;
}

/** For each node, the length of its longest path to the root. Dependents have larger indexes: one pass is enough. */
export function rankOf(dependents: readonly (readonly number[])[]): Int32Array {
  const rank = new Int32Array(dependents.length);
  for (let node = dependents.length - 1; node >= 0; node--) {
    for (const dependent of dependents[node] as readonly number[]) {
      rank[node] = Math.max(rank[node] as number, (rank[dependent] as number) + 1);
    }
  }
  return rank;
}
