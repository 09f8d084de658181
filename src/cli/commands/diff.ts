/** How `planwright diff` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';

export function diffCommand(): Command {
  const command = new Command('diff')
    .summary('compare two plans')
    .description('compare two plans by what their nodes mean; exits 0 when they are one plan, 1 when they differ')
    .argument('<before>', 'plan document, or - for standard input')
    .argument('<after>', 'plan document, or - for standard input');
  example(command, 'planwright diff plan.json edited.json');
  return act(command, {}, ACTIONS.diff);
}
