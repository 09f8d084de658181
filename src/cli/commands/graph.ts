/** How `planwright graph` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { choiceOr, flag, text } from '../options/index.ts';
import { PROJECT } from './tables.ts';

export function graphCommand(): Command {
  const command = new Command('graph')
    .description('draw the plan of a document, which needs no server, of a run, with how its nodes stand, or a policy')
    .argument('[file]', 'plan document, or - for standard input');
  example(command, 'planwright graph plan.json --format markdown');
  example(command, 'planwright graph --policy --demo market-sizing');
  const table = {
    ...PROJECT,
    run: text('<workflow-id>', 'the plan of this run instead of a document'),
    policy: flag('the policy of the project instead of a plan: every stage, every exit'),
    agent: text('<name>', 'with --policy: that of this agent'),
    format: choiceOr('mermaid', '<format>', 'mermaid, tree or markdown', ['mermaid', 'tree', 'markdown']),
  };
  return act(command, table, ACTIONS.graph);
}
