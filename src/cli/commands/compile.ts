import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { CompileOptions } from '../actions/compile.ts';

export function compileCommand(): Command {
  const command = new Command('compile')
    .description('check a plan document and show the plan; needs no server')
    .argument('<file>', 'plan document, or - for standard input')
    .option('--format <format>', 'auto, tree, steps or xml', 'auto')
    .option('--agents <names>', 'known agents, with commas between')
    .option('--capabilities <names>', 'known capabilities, with commas between')
    .option('--context-keys <keys>', 'keys that a step list may take from outside, with commas between')
    .option('--max-depth <n>', 'levels a plan may have (default 10000)')
    .option('--max-nodes <n>', 'nodes a plan may have (default 200000)')
    .option('--config <file>', 'resolve every task against this planwright.config.ts');
  example(command, 'planwright compile plan.json -o json');
  return act<CompileOptions>(command, async () => (await import('../actions/compile.ts')).compile);
}
