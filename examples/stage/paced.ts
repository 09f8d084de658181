/** Slows tasks down so that a person can watch them. */

import { setTimeout as pause } from 'node:timers/promises';
import type { WorkCapability } from 'planwright/capabilities';

/** The same capability, with a pause before each attempt that ends early when the attempt is cancelled. */
export function paced(capability: WorkCapability, paceMs: number): WorkCapability {
  if (paceMs === 0) return capability;
  return {
    ...capability,
    async execute(task) {
      await pause(paceMs, undefined, { signal: task.signal });
      return capability.execute(task);
    },
  };
}
