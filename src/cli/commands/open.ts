/** How `planwright open` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';

export function openCommand(): Command {
  const command = new Command('open')
    .summary('print where the Web UI shows a run')
    .description('print the address of a run in the Temporal Web UI of a server on this machine')
    .argument('<workflow-id>', 'the run');
  example(command, 'planwright open plan-1');
  return act(command, {}, ACTIONS.open);
}
