/** Yes and no in words. What is neither is asked again, and nothing is sent. */

import { NO_WORDS, readYesNo, YES_WORDS } from '../../engine/run/index.ts';
import { CliError } from '../cli-error.ts';

/** @throws CliError UNCLEAR */
export function yesOrNo(said: string): boolean {
  const word = readYesNo(said);
  if (word !== 'unclear') return word === 'yes';
  throw new CliError(
    'UNCLEAR',
    `${JSON.stringify(said)} is neither yes nor no, and nothing was sent. Say ${YES_WORDS.join(', ')} or ${NO_WORDS.join(', ')}; a reason goes with --comment`,
  );
}
