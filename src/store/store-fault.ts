/** Errors of a store behind a network, as its callers know them. */

import { oneLine } from '../plan/text/index.ts';
import { StoreError } from './store.ts';

/** An error of a server or of the way to it, in words. */
export interface Told {
  /** A name for it, such as `ECONNREFUSED`; shown as what a run waits for. */
  readonly code: string;
  readonly message: string;
  /** What to do about it, a sentence. */
  readonly advice: string;
}

/** @param what how the store could not be used */
export function storeFault(what: 'unreadable' | 'unwritable', place: string, told: Told, error: unknown): StoreError {
  const { code, message, advice } = told;
  const cause = Object.assign(new Error(message, { cause: error }), { code });
  const verb = what === 'unreadable' ? 'read' : 'written';
  const why = message.includes(code) ? message : `${code}: ${message}`;
  return new StoreError(what, `The result store at ${place} cannot be ${verb} (${oneLine(why)}). ${advice}`, { cause });
}
