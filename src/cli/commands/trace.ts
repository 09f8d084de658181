/** How `planwright trace` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { count } from '../options/index.ts';

export function traceCommand(): Command {
  const command = new Command('trace')
    .summary('say what happened to a run, and who said what')
    .description('say what happened to a run, and who said what; with -o jsonl it is the audit, an object a line')
    .argument('<workflow-id>', 'the run');
  example(command, 'planwright trace plan-1 -o jsonl');
  return act(command, { after: count('only what came after this entry', 0) }, ACTIONS.trace);
}
