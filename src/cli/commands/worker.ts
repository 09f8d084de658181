/** How `planwright worker` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { count, flag } from '../options/index.ts';
import { PROJECT, TASK_QUEUE } from './tables.ts';

export const CONCURRENT_NODES = count('nodes carried out at once (default 100)');
export const FORCE = flag('start although a worker with other capabilities polls the task queue');

export function workerCommand(): Command {
  const command = new Command('worker').description('carry out the nodes of runs, until Ctrl-C');
  example(command, 'planwright worker --demo gene-strategies');
  const table = { ...PROJECT, taskQueue: TASK_QUEUE, concurrentNodes: CONCURRENT_NODES, force: FORCE };
  return act(command, table, ACTIONS.worker);
}
