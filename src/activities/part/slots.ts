/** How many nodes of parts a worker process has at work at once, over all its parts. */

export interface Slots {
  /** Waits for a place and gives it back when the work has ended. */
  within<T>(work: () => Promise<T>): Promise<T>;
}

export function createSlots(most: number): Slots {
  let free = most;
  const line: (() => void)[] = [];
  const take = () => {
    if (free > 0) {
      free -= 1;
      return undefined;
    }
    return new Promise<void>((resolve) => line.push(resolve));
  };
  const giveBack = () => {
    const next = line.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    async within(work) {
      await take();
      try {
        return await work();
      } finally {
        giveBack();
      }
    },
  };
}
