/** How `planwright capabilities` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { PROJECT } from './tables.ts';

export function capabilitiesCommand(): Command {
  const command = new Command('capabilities').description('what the tasks of this project can do, and its agents');
  example(command, 'planwright capabilities --demo gene-strategies -o json');
  return act(command, PROJECT, ACTIONS.capabilities);
}
