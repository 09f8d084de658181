/** Values of options, read from what was typed. */

import { userInfo } from 'node:os';
import { durationMs } from '../../contract/index.ts';
import { CliError } from '../cli-error.ts';

/** Milliseconds; `0` and `0s` are no limit, as for the Temporal CLI. */
export function durationOption(flag: string, typed: string | undefined): number | undefined {
  if (typed === undefined || /^0+[a-z]*$/.test(typed.trim())) return undefined;
  const ms = durationMs(typed);
  if (ms !== undefined) return ms;
  throw new CliError('USAGE', `${flag}: expected a duration such as 90s, 10m or 24h, got "${typed}"`);
}

export function countOption(flag: string, typed: string | undefined, from = 1): number | undefined {
  if (typed === undefined) return undefined;
  const count = /^\d{1,15}$/.test(typed.trim()) ? Number(typed) : -1;
  if (count >= from) return count;
  throw new CliError('USAGE', `${flag}: expected a whole number from ${from}, got "${typed}"`);
}

export function namesOption(typed: string | undefined): readonly string[] | undefined {
  return typed
    ?.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

export function choiceOption<const T extends string>(
  flag: string,
  typed: string | undefined,
  known: readonly T[],
): T | undefined {
  if (typed === undefined) return undefined;
  const found = known.find((one) => one === typed);
  if (found !== undefined) return found;
  throw new CliError('USAGE', `${flag}: expected ${known.join(' or ')}, got "${typed}"`);
}

/** Who decides, when it is not said: the user of this machine. */
export function userName(typed: string | undefined): string {
  const name = typed ?? process.env['USER'] ?? process.env['USERNAME'] ?? accountName();
  if (name !== undefined && name.trim() !== '') return name.trim();
  throw new CliError('USAGE', 'a decision needs a name; say who decides with --by NAME');
}

/** A container may run as a user that has no name. */
function accountName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
