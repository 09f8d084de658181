/** How `planwright compile` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { choiceOr, count, names, text } from '../options/index.ts';

export function compileCommand(): Command {
  const command = new Command('compile')
    .description('check a plan document and show the plan; needs no server')
    .argument('<file>', 'plan document, or - for standard input');
  example(command, 'planwright compile plan.json -o json');
  const table = {
    format: choiceOr('auto', '<format>', 'auto, tree, steps or xml', ['auto', 'tree', 'steps', 'xml']),
    agents: names('<names>', 'known agents, with commas between'),
    capabilities: names('<names>', 'known capabilities, with commas between'),
    contextKeys: names('<keys>', 'keys that a step list may take from outside, with commas between'),
    maxDepth: count('levels a plan may have (default 10000)'),
    maxNodes: count('nodes a plan may have (default 200000)'),
    config: text('<file>', 'resolve every task against this planwright.config.ts'),
  };
  return act(command, table, ACTIONS.compile);
}
