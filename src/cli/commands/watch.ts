import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { WatchOptions } from '../actions/watch.ts';

export function watchCommand(): Command {
  const command = new Command('watch')
    .summary('follow a run until it ends')
    .description('follow a run, a line for each change, until it ends; exits by its outcome')
    .argument('<workflow-id>', 'the run')
    .option('--timeout <duration>', 'follow no longer than this; the run goes on');
  example(command, 'planwright watch plan-1 -o jsonl');
  return act<WatchOptions>(command, async () => (await import('../actions/watch.ts')).watch);
}
