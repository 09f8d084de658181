import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { StatusOptions } from '../actions/status.ts';

export function statusCommand(): Command {
  const command = new Command('status')
    .summary('say where a run stands')
    .description('say where a run stands; exits 0 while it goes on, 4 when it waits for a person, else by its outcome')
    .argument('<workflow-id>', 'the run')
    .option('--nodes', 'list every node');
  example(command, 'planwright status plan-1');
  return act<StatusOptions>(command, async () => (await import('../actions/status.ts')).status);
}
