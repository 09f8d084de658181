/** Watches a run until it ends: asks it how it stands, again and again, and gives a view of it for each change. */

import type { RunHandle } from '../run-handle.ts';
import { looksAt, type FollowOptions } from './looks.ts';
import { pulseOf } from './pulse.ts';
import { NO_VIEW, type RunView } from './run-view.ts';

/**
 * The views of a run, the last one with its `end`. A run that cannot answer (no worker, no server) is asked again, since
 * it is durable; its view says so meanwhile.
 * @throws the reason of the signal, and ClientError where no run can be followed.
 * @example for await (const { status, end } of followRun(run, { signal, server })) show(status, end);
 */
export async function* followRun(run: RunHandle, options: FollowOptions): AsyncGenerator<RunView, void> {
  const over = new AbortController();
  const signal = AbortSignal.any([options.signal, over.signal]);
  const looks = looksAt(run, { ...options, signal });
  let view = NO_VIEW;
  const pulse = pulseOf(run, () => isUnderWay(view), signal);
  let look: Promise<IteratorResult<RunView, void>> | undefined;
  let beat: Promise<IteratorResult<RunView['attempts'], void>> | undefined;
  try {
    for (;;) {
      look ??= looks.next();
      beat ??= pulse.next();
      const next = await Promise.race([look.then((seen) => ({ seen })), beat.then((heard) => ({ heard }))]);
      if ('heard' in next) {
        // A pulse ends only with the signal, of which the looks tell.
        if (next.heard.done === true) beat = new Promise(() => {});
        else {
          beat = undefined;
          view = { ...view, attempts: next.heard.value };
          yield view;
        }
        continue;
      }
      look = undefined;
      if (next.seen.done === true) return;
      const { value } = next.seen;
      view = { ...value, attempts: isUnderWay(value) ? view.attempts : NO_VIEW.attempts };
      yield view;
    }
  } finally {
    over.abort();
    for (const left of [look, beat, looks.return(), pulse.return()]) left?.catch(() => undefined);
  }
}

function isUnderWay({ status, end }: RunView): boolean {
  return end === undefined && status !== undefined && status.counts.running > 0;
}
