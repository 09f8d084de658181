/** A wait that a person or a clock can end. What is waited for goes on. */

import type { GlobalOptions } from '../act.ts';
import { CliError } from '../cli-error.ts';
import { durationOption } from './values.ts';

export interface Wait {
  /** Aborted with a CliError, INTERRUPTED or TIMEOUT, as its reason. */
  readonly signal: AbortSignal;
  end(): void;
}

/** How long a person lets us wait. */
export interface TimeLimit {
  /** undefined: for ever. */
  readonly ms: number | undefined;
  readonly typed: string;
}

/** To be read before anything is started, since it may be wrong. */
export function timeLimit({ timeout, commandTimeout }: GlobalOptions & { readonly timeout?: string }): TimeLimit {
  const command = durationOption('--command-timeout', commandTimeout);
  return { ms: durationOption('--timeout', timeout) ?? command, typed: timeout ?? commandTimeout ?? '' };
}

/** `onward` says what goes on, and how to come back to it. A second Ctrl-C ends the program at once. */
export function startWait({ ms, typed }: TimeLimit, onward: string): Wait {
  const controller = new AbortController();
  const stop = (code: 'INTERRUPTED' | 'TIMEOUT', message: string) => controller.abort(new CliError(code, message));
  const onSigint = () => stop('INTERRUPTED', `interrupted; ${onward}`);
  process.once('SIGINT', onSigint);
  const timer = ms === undefined ? undefined : setTimeout(stop, ms, 'TIMEOUT', `not ended after ${typed}; ${onward}`);
  return {
    signal: controller.signal,
    end() {
      clearTimeout(timer);
      process.off('SIGINT', onSigint);
    },
  };
}
