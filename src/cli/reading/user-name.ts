/** The name of whoever types a command. */

import { userInfo } from 'node:os';
import { CliError } from '../cli-error.ts';

/** The name that was typed, else that of the user of this machine. @throws CliError USAGE where there is none. */
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
