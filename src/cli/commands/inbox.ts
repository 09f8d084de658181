/** How `planwright inbox` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { countOr, text } from '../options/index.ts';

export function inboxCommand(): Command {
  const command = new Command('inbox')
    .summary('list what waits for a person')
    .description('list what the runs of this namespace wait for a person to say, the oldest first');
  example(command, 'planwright inbox --role reviewer');
  const table = {
    role: text('<role>', 'only what waits for this role or for anybody'),
    limit: countOr(100, 'at most so many'),
  };
  return act(command, table, ACTIONS.inbox);
}
