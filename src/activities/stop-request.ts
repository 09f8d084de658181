/**
 * Handles the server's request that an attempt at a node stops. The attempt obeys unless its effect is claimed. A
 * claimed effect continues if the run only moves to a new history.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { NEW_HISTORY, type NodeRequest } from '../protocol/index.ts';
import type { EffectGate } from './gate.ts';
import type { EffectState } from './begin-effect.ts';

/** Pause in ms after which an attempt with a claimed effect asks its run again why it should stop. */
const ASK_MS = 3000;
/**
 * Time in ms for a read to end after a stop, or for an idempotent effect before a new history. Then the attempt ends
 * without waiting for its capability.
 */
const GRACE_MS = 2000;

export interface StopRequest {
  /** `signal` aborts if the capability should stop, `calls` if its model calls should stop. */
  readonly signal: AbortSignal;
  readonly calls: AbortSignal;
  /** Makes a model call. If the run only moves to a new history, the call continues, so that its reply is journaled. */
  call<T>(ask: () => Promise<T>): Promise<T>;
  readonly cutOff: Promise<never>;
}

export function obeyStops(gate: EffectGate, { work }: NodeRequest, beginning: EffectState): StopRequest {
  const attempt = Context.current();
  const { cancellationSignal, info } = attempt;
  const [stop, calls, nobody] = [new AbortController(), new AbortController(), new AbortController()];
  const underWay = new Set<Promise<unknown>>();
  let cut: (why: unknown) => void = () => undefined;
  const cutOff = new Promise<never>((_, reject) => (cut = reject));
  cutOff.catch(() => undefined);
  // The client needs the activity's context, but the abort event comes without it, so the listener is bound to the context.
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
      // If a read ignores the stop, nobody waits for it.
      if (beginning.isEffect !== true) void obey(reason);
    } else if (beginning.isClaimed === true) void goOn(reason);
    else void obey(reason);
  }

  async function goOn(reason: unknown): Promise<void> {
    beginning.continuesForHistory = true;
    do await sleep(ASK_MS, undefined, { ref: false });
    while (await isForHistory());
    beginning.continuesForHistory = false;
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
