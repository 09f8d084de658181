/** How `planwright watch` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { duration } from '../options/index.ts';

export function watchCommand(): Command {
  const command = new Command('watch')
    .summary('follow a run until it ends')
    .description('follow a run, a line for each change, until it ends; exits by its outcome')
    .argument('<workflow-id>', 'the run');
  example(command, 'planwright watch plan-1 -o jsonl');
  return act(command, { timeout: duration('follow no longer than this; the run goes on') }, ACTIONS.watch);
}
