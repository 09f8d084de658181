/** Model calls of a program without a run: retried if that helps, and counted. */

import { setTimeout as sleepFor } from 'node:timers/promises';
import { PLANNING, type PlanningStage, type Usage, addUsage, NO_USAGE } from '../protocol/index.ts';
import { durationText, messageOf } from '../plan/text/index.ts';
import { isModelFailure, type ModelFailure, type Planner } from './planner.ts';
import { type ModelClient, type ModelReply, type ModelRequest, paidBy, readReply } from '../models/index.ts';

export interface Asking {
  readonly model: ModelClient;
  readonly signal?: AbortSignal;
  readonly sleep?: (ms: number) => Promise<void>;
  /** Reports why and when a call is repeated. */
  readonly onWait?: (text: string) => void;
}

/** A call with its retries; its usage is added to that of earlier calls. */
export function askingOf({ model, signal, sleep, onWait }: Asking, total: { usage: Usage }): Planner['ask'] {
  const rest = sleep ?? ((ms: number) => sleepFor(ms, undefined, signal && { signal }));
  const pause = (ms: number, why: Error) => {
    onWait?.(`${messageOf(why)}; it is asked again in ${durationText(ms)}`);
    return rest(ms);
  };
  return async (request, stage, onText) => retried(() => once(request, onText), PLANNING[stage].retry, pause);

  async function once(request: ModelRequest, onText?: (delta: string) => void): Promise<ModelReply> {
    signal?.throwIfAborted();
    // An error thrown by a callback passes through the client but is not a failure of the model.
    let thrown: { readonly error: unknown } | undefined;
    const onDelta = (delta: string): void => {
      try {
        onText?.(delta);
      } catch (error) {
        thrown ??= { error };
      }
    };
    try {
      const options = { ...(signal !== undefined && { signal }), onText: onDelta };
      const reply = readReply(await model.complete(request, options), model.name);
      total.usage = addUsage(total.usage, reply.usage);
      if (thrown === undefined) return reply;
    } catch (error) {
      // A reply that was no plan was paid for as well.
      total.usage = addUsage(total.usage, paidBy(error) ?? NO_USAGE);
      signal?.throwIfAborted();
      if (thrown === undefined) throw asModelFailure(error);
    }
    throw thrown.error;
  }
}

/** Another client may throw anything: it counts as a failure of the model, and planning continues without it. */
function asModelFailure(error: unknown): ModelFailure {
  if (isModelFailure(error) && error.kind !== 'cancelled') return error;
  const failure = new Error(messageOf(error), { cause: error });
  return Object.assign(failure, { name: 'ModelError', kind: 'unknown', severity: 'CRITICAL' } as const);
}

/** The limit for a server's requested pause. */
const MAX_PAUSE_MS = 60_000;

/** @throws the last error, and at once an error that no retry can cure */
async function retried<Result>(
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
