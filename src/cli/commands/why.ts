/** How `planwright why` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';

export function whyCommand(): Command {
  const command = new Command('why')
    .summary('say why a node stands as it does')
    .description('say why a node stands as it does: what it waits for, who let it run, what its attempts came to')
    .argument('<workflow-id>', 'the run')
    .argument('<node>', 'the node, by id, by context key or, in a loop, as step_3');
  example(command, 'planwright why plan-1 node_3');
  return act(command, {}, ACTIONS.why);
}
