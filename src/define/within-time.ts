/** Bounds work that input decides: how long it takes and how deep it goes. */

import { createContext, Script } from 'node:vm';

export type TimedWork<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly reason: 'too-long' | 'too-deep' };

/** A regular expression that backtracks is stopped only from another thread, which is what a script's timeout is. */
const SCRIPT = new Script('work()');
/** Made when it is first needed: most programs never check an answer. */
let context: { work: () => unknown } | undefined;

/** Runs synchronous work and stops it after `ms` milliseconds, or where it runs out of stack. Other errors pass. */
export function withinTime<T>(ms: number, work: () => T): TimedWork<T> {
  context ??= createContext({ work }) as { work: () => unknown };
  context.work = work;
  try {
    return { ok: true, value: SCRIPT.runInContext(context, { timeout: ms }) as T };
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') {
      return { ok: false, reason: 'too-long' };
    }
    if (error instanceof RangeError) return { ok: false, reason: 'too-deep' };
    throw error;
  }
}
