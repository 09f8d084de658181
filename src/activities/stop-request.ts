/**
 * What an attempt at a node does when the server asks it to stop. It obeys until it has claimed its effect. After that, a run that only
 * continues as new waits for the attempt; any other reason still asks the capability to stop.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { NEW_HISTORY, type NodeRequest } from '../protocol/index.ts';
import type { EffectGate } from './gate.ts';
import type { Beginning } from './begin-effect.ts';

/** How often an attempt that has claimed its effect asks the run why it is to stop. */
const ASK_MS = 3000;
/**
 * @bound how long a read that was asked to stop may take to end, and an idempotent effect for a new history
 * @beyond its attempt ends without it
 */
const GRACE_MS = 2000;

export interface StopRequest {
  /** Aborted when the capability is to stop, and when its calls of models are. */
  readonly signal: AbortSignal;
  readonly calls: AbortSignal;
  /** A stop for a new history does not end a model call, so that its reply reaches the journal. */
  call<T>(ask: () => Promise<T>): Promise<T>;
  /** Rejects if the capability ignores the stop. */
  readonly cutOff: Promise<never>;
}

export function heedStops(gate: EffectGate, { work }: NodeRequest, beginning: Beginning): StopRequest {
  const attempt = Context.current();
  const { cancellationSignal, info } = attempt;
  const [stop, calls, nobody] = [new AbortController(), new AbortController(), new AbortController()];
  const underWay = new Set<Promise<unknown>>();
  let cut: (why: unknown) => void = () => undefined;
  const cutOff = new Promise<never>((_, reject) => (cut = reject));
  cutOff.catch(() => undefined);
  // An abort is dispatched outside the attempt, where there is no client.
  const listen = AsyncLocalStorage.bind(() => void (beginning.stopping = heed()));
  if (cancellationSignal.aborted) listen();
  else cancellationSignal.addEventListener('abort', listen, { once: true });
  return { signal: stop.signal, calls: calls.signal, call, cutOff };

  function abort(why: unknown): void {
    stop.abort(why);
    calls.abort(why);
  }

  async function heed(): Promise<void> {
    const { reason } = cancellationSignal as { readonly reason: unknown };
    if (beginning.isClaimed !== true) stop.abort(reason);
    if (!(await isForHistory())) {
      abort(reason);
      // Nobody waits for a read that ignores the stop.
      if (beginning.isEffect !== true) void obey(reason);
    } else if (beginning.isClaimed === true) void goOn(reason);
    else void obey(reason);
  }

  async function goOn(reason: unknown): Promise<void> {
    beginning.goesOn = true;
    do await sleep(ASK_MS, undefined, { ref: false });
    while (await isForHistory());
    beginning.goesOn = false;
    abort(reason);
  }

  async function obey(reason: unknown): Promise<void> {
    await Promise.allSettled(underWay);
    await sleep(GRACE_MS, undefined, { ref: false });
    cut(reason);
  }

  async function isForHistory(): Promise<boolean> {
    const { workflowExecution } = info;
    if (attempt.cancellationDetails?.cancelRequested !== true) return false;
    if (work === undefined || workflowExecution === undefined) return false;
    const word = await gate.ask(workflowExecution, work, nobody.signal);
    return !word.ok && word.reason === NEW_HISTORY;
  }

  function call<T>(ask: () => Promise<T>): Promise<T> {
    const asked = ask();
    underWay.add(asked);
    return asked.finally(() => underWay.delete(asked));
  }
}
