/**
 * What an attempt at a node does if the server asks it to stop. It obeys unless its effect is claimed. A claimed effect
 * continues if the run only moves to a new history.
 */

import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { NEW_HISTORY, type NodeRequest } from '../protocol/index.ts';
import type { EffectGate } from './gate.ts';
import type { EffectState } from './begin-effect.ts';

/** How often an attempt with a claimed effect asks the run why it should stop. */
const ASK_MS = 3000;
/**
 * Time for a read to end after a stop, or for an idempotent effect before a new history. Then the attempt ends without
 * its capability.
 */
const GRACE_MS = 2000;

export interface StopRequest {
  /** `signal`: aborts if the capability should stop. `calls`: aborts if its model calls should stop. */
  readonly signal: AbortSignal;
  readonly calls: AbortSignal;
  /** Makes a model call. A stop for a new history does not abort it, so that the journal gets its reply. */
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
  // The abort event is dispatched outside the activity's context, but the client needs that context, so it is bound here.
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
