/** How `planwright trace` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { choiceOr, count, flag } from '../options/index.ts';
import { PROJECT } from './tables.ts';

export function traceCommand(): Command {
  const command = new Command('trace')
    .summary('say what happened to a run, and who said what')
    .description(
      'say what happened to a run, and who said what; with -o jsonl it is the audit, an object a line. ' +
        'With --rounds: how a run or an agent that decides step by step decided each of them',
    )
    .argument('<workflow-id>', 'the run');
  example(command, 'planwright trace plan-1 -o jsonl');
  example(command, 'planwright trace plan-1 --rounds --last 5');
  const table = {
    store: PROJECT.store,
    config: PROJECT.config,
    demo: PROJECT.demo,
    after: count('only what came after this entry', 0),
    rounds: flag(
      'the rounds of its loop: who decided, the stages visited, the decision before and after each corrector',
    ),
    last: count('with --rounds: the newest so many', 1),
    format: choiceOr('text', '<format>', 'of --rounds: text or markdown', ['text', 'markdown']),
  };
  return act(command, table, ACTIONS.trace);
}
