import { setTimeout as sleepFor } from 'node:timers/promises';
import { PLANNING, type PlanningStage, type Usage, addUsage, NO_USAGE } from '../protocol/index.ts';
import { durationText, messageOf } from '../plan/text/index.ts';
import { isModelFailure, type ModelFailure, type Planner } from './planner.ts';
import { type ModelClient, type ModelReply, type ModelRequest, paidBy, readReply } from '../models/index.ts';

export interface Asking {
  readonly model: ModelClient;
  readonly signal?: AbortSignal;
  readonly sleep?: (ms: number) => Promise<void>;
  readonly onWait?: (text: string) => void;
}

export function askingOf({ model, signal, sleep, onWait }: Asking, total: { usage: Usage }): Planner['ask'] {
  const rest = sleep ?? ((ms: number) => sleepFor(ms, undefined, signal && { signal }));
  const pause = (ms: number, why: Error) => {
    onWait?.(`${messageOf(why)}; it is asked again in ${durationText(ms)}`);
    return rest(ms);
  };
  return async (request, stage, onText) => retried(() => once(request, onText), PLANNING[stage].retry, pause);

  async function once(request: ModelRequest, onText?: (delta: string) => void): Promise<ModelReply> {
    signal?.throwIfAborted();
    // The callback's error, to distinguish it from failures of the model, since the client throws both.
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
      total.usage = addUsage(total.usage, paidBy(error) ?? NO_USAGE);
      signal?.throwIfAborted();
      if (thrown === undefined) throw asModelFailure(error);
    }
    throw thrown.error;
  }
}

/** Converts any error of a client to a failure of the model, so that planning can continue without it. */
function asModelFailure(error: unknown): ModelFailure {
  if (isModelFailure(error) && error.kind !== 'cancelled') return error;
  const failure = new Error(messageOf(error), { cause: error });
  return Object.assign(failure, { name: 'ModelError', kind: 'unknown', severity: 'CRITICAL' } as const);
}

/** Maximum pause in ms that a server can request. */
const MAX_PAUSE_MS = 60_000;

/** Repeats a call after errors that a retry can fix. @throws the last error, or the first that a retry cannot fix */
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
