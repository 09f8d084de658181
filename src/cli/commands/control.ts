import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { ControlOptions } from '../actions/control.ts';
import { speakerOptions } from './speaker-options.ts';

export function controlCommand(): Command {
  const command = new Command('control')
    .description('steer a run: pause, resume, cancel-node, retry-node, skip-node, resolve')
    .argument('<workflow-id>', 'the run')
    .argument('<action>', 'pause, resume, cancel-node, retry-node, skip-node or resolve')
    .argument('[node]', 'the node it is about, such as node_3')
    .option('--outcome <outcome>', 'with resolve: succeeded or failed')
    .option('--value <json>', 'with resolve --outcome succeeded: the result of the node; a set is the list of its ids')
    .option('--digest <digest>', 'the plan that the node is meant in; its first 8 digits suffice');
  example(speakerOptions(command), 'planwright control plan-1 retry-node node_3 --by ana');
  return act<ControlOptions>(command, async () => (await import('../actions/control.ts')).control);
}
