/** How `planwright graph` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { choiceOr, text } from '../options/index.ts';
import { PROJECT } from './tables.ts';

export function graphCommand(): Command {
  const command = new Command('graph')
    .description('draw the plan of a document, which needs no server, or of a run, with how its nodes stand')
    .argument('[file]', 'plan document, or - for standard input');
  example(command, 'planwright graph plan.json --format markdown');
  const table = {
    ...PROJECT,
    run: text('<workflow-id>', 'the plan of this run instead of a document'),
    format: choiceOr('mermaid', '<format>', 'mermaid, tree or markdown', ['mermaid', 'tree', 'markdown']),
  };
  return act(command, table, ACTIONS.graph);
}
