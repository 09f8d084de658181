/** A wait that Ctrl-C or a time limit ends. The awaited run continues. */

import { once } from 'node:events';
import { OperationError } from '../operations/index.ts';
import type { GlobalOptions } from './global-flags.ts';
import { readDuration, type TypedDuration } from './options.ts';

export interface TimedWait {
  /** Aborted with an OperationError, INTERRUPTED or TIMEOUT. */
  readonly signal: AbortSignal;
  end(): void;
}

export function timeLimit({
  timeout,
  commandTimeout,
}: GlobalOptions & { readonly timeout?: TypedDuration | undefined }): TypedDuration {
  const command = commandTimeout === undefined ? undefined : readDuration(commandTimeout, '--command-timeout');
  return timeout?.ms === undefined ? (command ?? { typed: '', ms: undefined }) : timeout;
}

/**
 * The signals that end a wait. They do not end the process, since this program, and the SDK in a worker, listen to
 * them.
 */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

export async function untilCtrlC(): Promise<void> {
  await Promise.race(SIGNALS.map((signal) => once(process, signal)));
}

/** @param onward what continues, and how to return to it; a second Ctrl-C or SIGTERM ends the program at once */
export function startWait({ ms, typed }: TypedDuration, onward: string): TimedWait {
  const controller = new AbortController();
  const stop = (code: 'INTERRUPTED' | 'TIMEOUT', message: string) =>
    controller.abort(new OperationError(code, message));
  const onSignal = () => stop('INTERRUPTED', `interrupted; ${onward}`);
  for (const signal of SIGNALS) process.once(signal, onSignal);
  const timer = ms === undefined ? undefined : setTimeout(stop, ms, 'TIMEOUT', `not ended after ${typed}; ${onward}`);
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      for (const signal of SIGNALS) process.off(signal, onSignal);
    },
  };
}
