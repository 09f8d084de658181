/** A model call made again by a program that has no Temporal to do it. */

import type { PLANNING, PlanningStage } from '../protocol/index.ts';
import { isModelFailure } from './desk.ts';

/** However long a server asks to be left alone. */
const MAX_PAUSE_MS = 60_000;

/** @throws what the last attempt threw, and at once what no other attempt may cure */
export async function retried<Result>(
  call: () => Promise<Result>,
  { attempts, initialMs, factor }: (typeof PLANNING)[PlanningStage]['retry'],
  sleep: (ms: number, why: Error) => Promise<void>,
): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      const mayPass = isModelFailure(error) && error.severity === 'RETRIABLE' && error.kind !== 'cancelled';
      if (!mayPass || attempt >= attempts) throw error;
      const pause = initialMs * factor ** (attempt - 1);
      await sleep(Math.min(MAX_PAUSE_MS, Math.max(pause, error.retryAfterMs ?? 0)), error);
    }
  }
}
