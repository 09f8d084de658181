/** How `planwright run` is typed. */

import { Command } from 'commander';
import { act, example } from '../act.ts';
import { ACTIONS } from '../actions/index.ts';
import { choice, count, duration, flag, text } from '../options/index.ts';
import { KEY, PROJECT, TASK_QUEUE } from './tables.ts';

export function runCommand(): Command {
  const command = new Command('run')
    .description('start a run of a plan, or of a goal that its worker plans, and wait for its end')
    .argument('[file]', 'plan document, or - for standard input');
  example(command, 'planwright run plan.json --approve --by reviewer');
  const table = {
    goal: text('<goal>', 'in place of a file: what is to be done, in words; the worker asks its model for a plan'),
    mode: choice('<mode>', 'of a goal: plan-first, reactive (step by step) or auto (default plan-first)', [
      'plan-first',
      'reactive',
      'auto',
    ]),
    maxRounds: count('steps that a reactive run may decide (default 100)'),
    conversation: text('<id>', 'whose history the planner is given, and in which plans and results are kept'),
    model: text('<url>', 'refused: a run asks the model of its worker; `plan` takes it'),
    ...PROJECT,
    taskQueue: TASK_QUEUE,
    workflowId: text('<id>', 'id of the run (default: made from the goal)'),
    detach: flag('do not wait'),
    dev: flag('start a server, where none runs, and a worker for this run, and stop them'),
    approve: flag('approve exactly this plan at once'),
    yes: flag('the same as --approve'),
    by: text('<name>', 'who approves (default: your user name)'),
    role: text('<role>', 'in which role'),
    approval: text(
      '<policy>',
      'required: every plan waits; effects: only what changes something; or a file { "rules": [...] }',
    ),
    approvalDeadline: duration('silence for so long is refusal (default 24h)'),
    answerDeadline: duration('how long a question waits that says nothing else (default 24h)'),
    maxRejections: count('the rejection that ends the run; those before wait for an edit (default 1)'),
    onFailure: choice('<policy>', 'fail; partial: end with what there is; ask: wait for a person (default fail)', [
      'fail',
      'partial',
      'ask',
    ]),
    concurrency: count('nodes in flight at once (default 100)'),
    reuse: text('<run>', 'take over what this closed run has finished, where the plan has the same'),
    fresh: flag('with --reuse: carry out again what only reads'),
    context: text('<file>', 'JSON object: external context that the steps of a list may name'),
    timeout: duration('wait no longer than this; the run goes on'),
    ...KEY,
  };
  return act(command, table, ACTIONS.run);
}
