/** How `planwright explain` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { text } from '../options/index.ts';

export function explainCommand(): Command {
  const command = new Command('explain')
    .description('say in words what a plan gives and what each of its nodes does; needs no server')
    .argument('<file>', 'plan document, or - for standard input');
  example(command, 'planwright explain plan.json --config planwright.config.ts');
  const table = {
    config: text('<file>', 'with what carries each node out in this project, and what that does to the world'),
    demo: text('<name>', 'a demo instead of a config, such as gene-strategies'),
  };
  return act(command, table, ACTIONS.explain);
}
