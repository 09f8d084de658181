/** The list of all that was started and must be stopped. */

export interface Cleanup {
  add(stop: () => Promise<void>): void;
  /** Stops everything once, the last started first. A failure does not keep the others from being stopped. */
  run(): Promise<void>;
  /** Leaves everything as it is. */
  forget(): void;
}

export function createCleanup(): Cleanup {
  const stops: (() => Promise<void>)[] = [];
  return {
    add: (stop) => void stops.push(stop),
    forget: () => void (stops.length = 0),
    async run() {
      for (let stop = stops.pop(); stop !== undefined; stop = stops.pop()) await stop().catch(() => {});
    },
  };
}
