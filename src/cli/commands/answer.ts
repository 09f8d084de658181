import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { AnswerOptions } from '../actions/answer.ts';
import { speakerOptions } from './speaker-options.ts';

export function answerCommand(): Command {
  const command = new Command('answer')
    .summary('answer a question of a run')
    .description('answer a question of a run; of a question for yes or no the words count')
    .argument('<workflow-id>', 'the run')
    .argument('[question]', 'id of the question; on a terminal the only one is asked')
    .argument('[value]', 'JSON if it parses as JSON, else text')
    .option('--json', 'the value is JSON, and nothing else is taken');
  example(speakerOptions(command), 'planwright answer plan-1 3fa9c1d2.node_3 42 --by ana');
  return act<AnswerOptions>(command, async () => (await import('../actions/answer.ts')).answer);
}
