/** How `planwright rerun` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { duration, flag, text } from '../options/index.ts';
import { KEY, PROJECT, TASK_QUEUE } from './tables.ts';

export function rerunCommand(): Command {
  const command = new Command('rerun')
    .description('start the plan of a closed run anew, and take over what that run has finished')
    .argument('<workflow-id>', 'the closed run');
  example(command, 'planwright rerun plan-1');
  const table = {
    ...PROJECT,
    taskQueue: TASK_QUEUE,
    workflowId: text('<id>', 'id of the new run (default: made from the goal)'),
    fresh: flag('carry out again what only reads'),
    detach: flag('do not wait'),
    dev: flag('start a server, where none runs, and a worker for this run, and stop them'),
    approve: flag('approve exactly this plan at once'),
    yes: flag('the same as --approve'),
    by: text('<name>', 'who approves (default: your user name)'),
    role: text('<role>', 'in which role'),
    timeout: duration('wait no longer than this; the run goes on'),
    ...KEY,
  };
  return act(command, table, ACTIONS.rerun);
}
