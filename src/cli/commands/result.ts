/** How `planwright result` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { duration, text } from '../options/index.ts';
import { FILE_SHAPE, PROJECT } from './tables.ts';

export function resultCommand(): Command {
  const command = new Command('result')
    .summary('wait for the end of a run and print its result')
    .description('wait for the end of a run and print its result; of a set, one id a line')
    .argument('<workflow-id>', 'the run');
  example(command, 'planwright result plan-1 --format bed > result.bed');
  const table = {
    ...PROJECT,
    node: text('<node>', 'the result of this node, as soon as it has one'),
    format: FILE_SHAPE,
    timeout: duration('wait no longer than this'),
  };
  return act(command, table, ACTIONS.result);
}
