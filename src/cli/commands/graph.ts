import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { GraphOptions } from '../actions/graph.ts';
import { projectOptions } from './project-options.ts';

export function graphCommand(): Command {
  const command = projectOptions(new Command('graph'))
    .description('draw the plan of a document, which needs no server, or of a run, with how its nodes stand')
    .argument('[file]', 'plan document, or - for standard input')
    .option('--run <workflow-id>', 'the plan of this run instead of a document')
    .option('--format <format>', 'mermaid, tree or markdown', 'mermaid');
  example(command, 'planwright graph plan.json --format markdown');
  return act<GraphOptions>(command, async () => (await import('../actions/graph.ts')).graph);
}
