/** How `planwright dev` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { count, flag, text } from '../options/index.ts';
import { PROJECT, TASK_QUEUE } from './tables.ts';
import { CONCURRENT_NODES, FORCE } from './worker.ts';

export function devCommand(): Command {
  const command = new Command('dev').description('a Temporal dev server and a worker in one, until Ctrl-C');
  example(command, 'planwright dev --demo gene-strategies');
  const table = {
    ...PROJECT,
    taskQueue: TASK_QUEUE,
    concurrentNodes: CONCURRENT_NODES,
    force: FORCE,
    port: count('start a server on this port (default: use the one on 7233, else start one)', 0),
    uiPort: count('port of its Web UI (default 8233)', 0),
    headless: flag('without the Web UI'),
    serverOnly: flag('the server alone, for a program with a worker of its own; needs no config'),
    db: text('<file>', 'database file of the server (default: one in the cache folder)'),
  };
  return act(command, table, ACTIONS.dev);
}
