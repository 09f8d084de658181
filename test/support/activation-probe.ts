/** An interceptor module that fails a replay whose activations do not tell what `speculative-queries.ts` goes by. */

import type { WorkflowInterceptors } from '@temporalio/workflow';
import { clockTime } from '../../src/workflows/sdk/speculative-queries.ts';

/** A history that was recorded just now is younger. */
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

export function interceptors(): WorkflowInterceptors {
  let before = 0;
  return {
    internals: [
      {
        activate({ activation, ...input }, next) {
          const { historyLength, historySizeBytes, timestamp, isReplaying } = activation;
          const events = Number(historyLength);
          const startedMs = Number(timestamp?.seconds) * 1000;
          const told = {
            historyLength: Number.isSafeInteger(events) && events >= before && events > 0,
            historySizeBytes: Number(historySizeBytes) > 0,
            timestamp: startedMs > Date.UTC(2026, 0, 1),
            isReplaying: typeof isReplaying === 'boolean',
            // The history is old; `Date` in here is as old as it.
            clock: clockTime() - startedMs > MINUTE_MS && Math.abs(Date.now() - startedMs) < HOUR_MS,
          };
          before = events;
          const missing = Object.entries(told).flatMap(([name, is]) => (is ? [] : [name]));
          if (missing.length > 0) throw new Error(`an activation does not tell: ${missing.join(', ')}`);
          next({ activation, ...input });
        },
      },
    ],
  };
}
