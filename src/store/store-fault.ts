/** Errors of stores that are reached over a network. */

import { oneLine } from '../plan/text/index.ts';
import { StoreError } from './store.ts';

export interface ExplainedError {
  /** The name of the error, such as `ECONNREFUSED`. A waiting run shows it. */
  readonly code: string;
  readonly message: string;
  readonly advice: string;
}

export function storeFault(
  what: 'unreadable' | 'unwritable',
  place: string,
  explained: ExplainedError,
  error: unknown,
): StoreError {
  const { code, message, advice } = explained;
  const cause = Object.assign(new Error(message, { cause: error }), { code });
  const verb = what === 'unreadable' ? 'read' : 'written';
  const why = message.includes(code) ? message : `${code}: ${message}`;
  return new StoreError(what, `The result store at ${place} cannot be ${verb} (${oneLine(why)}). ${advice}`, { cause });
}

/** Imports an optional package. @throws StoreError `not-installed` with the command that installs it */
export async function optional<T>(name: string, needs: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    const isMissing =
      cause instanceof Error && cause.message.includes(`'${name}'`) && /Cannot find/.test(cause.message);
    if (!isMissing) throw cause;
    throw new StoreError('not-installed', `${needs} needs the package ${name} beside planwright: npm install ${name}`, {
      cause,
    });
  }
}
