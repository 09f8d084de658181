/** How `planwright answer` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { flag } from '../options/index.ts';
import { SPEAKER } from './tables.ts';

export function answerCommand(): Command {
  const command = new Command('answer')
    .summary('answer a question of a run')
    .description('answer a question of a run; of a question for yes or no the words count')
    .argument('<workflow-id>', 'the run')
    .argument('[question]', 'id of the question; on a terminal the only one is asked')
    .argument('[value]', 'JSON if it parses as JSON, else text');
  example(command, 'planwright answer plan-1 3fa9c1d2.node_3 42 --by operator');
  const json = flag('the value is JSON, and nothing else is taken');
  return act(command, { json, ...SPEAKER }, ACTIONS.answer);
}
