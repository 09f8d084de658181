/** How `planwright control` is typed. */

import { Command } from 'commander';
import { CONTROL_ACTIONS } from '../../wire/contract/index.ts';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { text } from '../options/index.ts';
import { eitherOf, SPEAKER } from './tables.ts';

export function controlCommand(): Command {
  const command = new Command('control')
    .description(`steer a run: ${CONTROL_ACTIONS.join(', ')}`)
    .argument('<workflow-id>', 'the run')
    .argument('<action>', eitherOf(CONTROL_ACTIONS))
    .argument('[node]', 'the node it is about, by id or key');
  example(command, 'planwright control plan-1 retry-node node_3 --by operator');
  const table = {
    outcome: text('<outcome>', 'with resolve: succeeded or failed'),
    value: text('<json>', 'with resolve --outcome succeeded: the result of the node; a set is the list of its ids'),
    digest: text('<digest>', 'the plan that the node is meant in; its first 8 digits suffice'),
    ...SPEAKER,
  };
  return act(command, table, ACTIONS.control);
}
