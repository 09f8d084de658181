/** How `planwright doctor` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { negated } from '../options/index.ts';
import { PROJECT, TASK_QUEUE } from './tables.ts';

export function doctorCommand(): Command {
  const command = new Command('doctor').description(
    'check what runs stand on, and say what to do about what is missing; exits 2 when something is',
  );
  example(command, 'planwright doctor --demo gene-strategies');
  const run = negated('leave out the run of forty idle tasks that shows how fast the server is');
  return act(command, { ...PROJECT, taskQueue: TASK_QUEUE, run }, ACTIONS.doctor);
}
