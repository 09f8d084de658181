import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { ListOptions } from '../actions/list.ts';

export function listCommand(): Command {
  const command = new Command('list')
    .description('list the runs of this namespace, the newest first')
    .option('--limit <n>', 'at most so many', '20')
    .option('--open', 'only those that have not ended');
  example(command, 'planwright list --open');
  return act<ListOptions>(command, async () => (await import('../actions/list.ts')).list);
}
