import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { WorkerOptions } from '../actions/worker.ts';
import { projectOptions } from './project-options.ts';

export function workerCommand(): Command {
  const command = projectOptions(new Command('worker'))
    .description('carry out the nodes of runs, until Ctrl-C')
    .option('--task-queue <name>', "task queue to work on (default: the config's, else planwright)")
    .option('--concurrent-nodes <n>', 'nodes carried out at once (default 100)');
  example(command, 'planwright worker --demo gene-strategies');
  return act<WorkerOptions>(command, async () => (await import('../actions/worker.ts')).work);
}
