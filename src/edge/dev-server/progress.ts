/** News for a person who waits for a server. */

export interface Progress {
  /** Takes one line at a time. */
  onProgress(line: string): void;
  /** Takes a line whenever something moves; each takes the place of the one before. Absent where nothing can be drawn again. */
  readonly onTick?: ((line: string) => void) | undefined;
}

/**
 * Tells how something goes on: each line where one can be drawn again, else one for each step, such as a tenth of the
 * way or half a minute.
 */
export function tellSteps({ onProgress, onTick }: Progress): (line: string, step: number) => void {
  let told = 0;
  return (line, step) => {
    if (onTick !== undefined) return onTick(line);
    if (step <= told) return;
    told = step;
    onProgress(line);
  };
}

/** Milliseconds after which something that has no other measure is told of again. */
const STEP_MS = 30_000;

/** @example timeStep(61_000); // 2 */
export function timeStep(milliseconds: number): number {
  return Math.floor(milliseconds / STEP_MS);
}
