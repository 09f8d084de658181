import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { ExplainOptions } from '../actions/explain.ts';

export function explainCommand(): Command {
  const command = new Command('explain')
    .description('say in words what a plan gives and what each of its nodes does; needs no server')
    .argument('<file>', 'plan document, or - for standard input')
    .option('--config <file>', 'with what carries each node out in this project, and what that does to the world')
    .option('--demo <name>', 'a demo instead of a config, such as gene-strategies');
  example(command, 'planwright explain plan.json --config planwright.config.ts');
  return act<ExplainOptions>(command, async () => (await import('../actions/explain.ts')).explain);
}
