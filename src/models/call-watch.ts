/** Ends a call that takes too long, falls silent, or is not wanted any more. */

import { ModelError, type ModelErrorKind } from './model-error.ts';

export interface CallWatch {
  /** Aborts when the call has to end. */
  readonly signal: AbortSignal;
  /** Something came. */
  beat(): void;
  /** Why it had to end; undefined while it need not. */
  reason(): ModelError | undefined;
  /** The call has ended by itself; a connection that is open still is closed. */
  stop(): void;
}

export interface WatchTimes {
  readonly totalMs: number;
  readonly idleMs: number;
}

/** @param place what is called, at the beginning of a sentence */
export function watchCall({ totalMs, idleMs }: WatchTimes, place: string, wanted?: AbortSignal): CallWatch {
  const controller = new AbortController();
  let reason: ModelError | undefined;
  const end = (kind: ModelErrorKind, what: string): void => {
    reason ??= new ModelError(kind, `${place} ${what}`);
    controller.abort();
  };
  const cancel = (): void => end('cancelled', 'was not wanted any more: the call was stopped');
  const total = setTimeout(() => end('timeout', `has not finished within ${totalMs} ms`), totalMs);
  const idle = setTimeout(() => end('timeout', `has said nothing for ${idleMs} ms`), idleMs);
  if (wanted?.aborted) cancel();
  wanted?.addEventListener('abort', cancel, { once: true });
  return {
    signal: controller.signal,
    beat: () => void idle.refresh(),
    reason: () => reason,
    stop() {
      clearTimeout(total);
      clearTimeout(idle);
      wanted?.removeEventListener('abort', cancel);
      controller.abort();
    },
  };
}
