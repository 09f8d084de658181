/** How far long work has come, told every few seconds. */

import { counted } from '../../plan/text/index.ts';

/** Hears lines for a person. */
export type Hear = (line: string) => void;

const TELL_MS = 5000;

/** Counts what is done. */
export function createProgress(hear: Hear | undefined, verb: string): () => void {
  let done = 0;
  let toldAt = performance.now();
  return () => {
    done += 1;
    if (performance.now() - toldAt < TELL_MS) return;
    toldAt = performance.now();
    hear?.(`${verb} ${counted(done, 'thing')}`);
  };
}
