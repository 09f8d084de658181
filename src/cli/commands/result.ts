import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { ResultOptions } from '../actions/result.ts';
import { projectOptions } from './project-options.ts';

export function resultCommand(): Command {
  const command = projectOptions(new Command('result'))
    .summary('wait for the end of a run and print its result')
    .description('wait for the end of a run and print its result; of a set, one id a line')
    .argument('<workflow-id>', 'the run')
    .option('--node <node>', 'the result of this node, as soon as it has one')
    .option('--timeout <duration>', 'wait no longer than this');
  example(command, 'planwright result plan-1 > ids.txt');
  return act<ResultOptions>(command, async () => (await import('../actions/result.ts')).result);
}
