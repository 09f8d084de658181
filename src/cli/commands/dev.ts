import { Command } from 'commander';
import { act, example } from '../act.ts';
import type { DevOptions } from '../actions/dev.ts';
import { projectOptions } from './project-options.ts';

export function devCommand(): Command {
  const command = projectOptions(new Command('dev'))
    .description('a Temporal dev server and a worker in one, until Ctrl-C')
    .option('--task-queue <name>', "task queue to work on (default: the config's, else planwright)")
    .option('--port <n>', 'start a server on this port (default: use the one on 7233, else start one)')
    .option('--ui-port <n>', 'port of its Web UI (default 8233)')
    .option('--headless', 'without the Web UI')
    .option('--db <file>', 'database file of the server (default: one in the cache folder)');
  example(command, 'planwright dev --demo gene-strategies');
  return act<DevOptions>(command, async () => (await import('../actions/dev.ts')).dev);
}
