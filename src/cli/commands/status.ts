/** How `planwright status` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { flag } from '../options/index.ts';

export function statusCommand(): Command {
  const command = new Command('status')
    .summary('say where a run stands')
    .description('say where a run stands; exits 0 while it goes on, 4 when it waits for a person, else by its outcome')
    .argument('<workflow-id>', 'the run');
  example(command, 'planwright status plan-1');
  return act(command, { nodes: flag('list every node') }, ACTIONS.status);
}
