import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { InboxOptions } from '../actions/inbox.ts';

export function inboxCommand(): Command {
  const command = new Command('inbox')
    .summary('list what waits for a person')
    .description('list what the runs of this namespace wait for a person to say, the oldest first')
    .option('--role <role>', 'only what waits for this role or for anybody')
    .option('--limit <n>', 'at most so many', '100');
  example(command, 'planwright inbox --role reviewer');
  return act<InboxOptions>(command, async () => (await import('../actions/inbox.ts')).inbox);
}
