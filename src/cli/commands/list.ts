/** How `planwright list` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { countOr, flag } from '../options/index.ts';

export function listCommand(): Command {
  const command = new Command('list').description('list the runs of this namespace, the newest first');
  example(command, 'planwright list --open');
  const table = { limit: countOr(20, 'at most so many'), open: flag('only those that have not ended') };
  return act(command, table, ACTIONS.list);
}
