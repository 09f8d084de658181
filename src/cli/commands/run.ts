/** `planwright run` and `rerun`: starts a run, shows it, lets a person decide, and waits for its end. */

import { OperationError } from '../../operations/index.ts';
import { asTyped } from '../as-typed.ts';
import { defineCommand } from '../define-command.ts';
import { choice, count, duration, flag, text } from '../options.ts';
import { KEY, PROJECT, TASK_QUEUE } from './tables.ts';

/** The options of both commands. */
const STARTING = {
  ...PROJECT,
  taskQueue: TASK_QUEUE,
  workflowId: text('<id>', 'id of the run (default: made from the goal)'),
  detach: flag('do not wait'),
  dev: flag('start a server, where none runs, and a worker for this run, and stop them'),
  approve: flag('approve exactly this plan at once'),
  yes: flag('the same as --approve'),
  by: text('<name>', 'who approves (default: your user name)'),
  role: text('<role>', 'in which role'),
  timeout: duration('wait no longer than this; the run goes on'),
  ...KEY,
};

export const runCommand = defineCommand({
  name: 'run',
  description: 'start a run of a plan, or of a goal that its worker plans, and wait for its end',
  examples: ['planwright run plan.json --approve --by reviewer'],
  arguments: { 'file?': 'plan document, or - for standard input' },
  flags: {
    goal: text('<goal>', 'in place of a file: what is to be done, in words; the worker asks its model for a plan'),
    mode: choice('<mode>', 'of a goal: plan-first, reactive (step by step) or auto (default plan-first)', [
      'plan-first',
      'reactive',
      'auto',
    ]),
    maxRounds: count('steps that a reactive run may decide (default 100)'),
    conversation: text('<id>', 'whose history the planner is given, and in which plans and results are kept'),
    model: text('<url>', 'refused: a run asks the model of its worker; `plan` takes it'),
    ...STARTING,
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
  },
  async run(typed, shell) {
    const { file, goal, model, approve, yes } = typed;
    if (model !== undefined) throw new OperationError('USAGE', modelOfWorker());
    if ((goal === undefined) === (file === undefined)) {
      throw new OperationError(
        'USAGE',
        'give a plan document (a file, or - for standard input) or --goal GOAL, one of the two',
      );
    }
    if (goal !== undefined && (approve ?? yes) !== undefined) throw new OperationError('USAGE', NOT_IN_ADVANCE);
    const { carryOut } = await import('../running/index.ts');
    return carryOut(typed, shell);
  },
});

export const rerunCommand = defineCommand({
  name: 'rerun',
  description: 'start the plan of a closed run anew, and take over what that run has finished',
  examples: ['planwright rerun plan-1'],
  arguments: { run: 'the closed run' },
  flags: {
    ...STARTING,
    workflowId: text('<id>', 'id of the new run (default: made from the goal)'),
    fresh: flag('carry out again what only reads'),
  },
  async run(typed, shell) {
    const { carryOut } = await import('../running/index.ts');
    return carryOut(typed, shell);
  },
});

const modelOfWorker = () =>
  '--model: a run asks the model of its worker; set "model" in the worker\'s planwright.config.ts. ' +
  `\`${asTyped('plan GOAL --model URL')}\` makes a plan without a run, and \`${asTyped('run FILE')}\` runs it`;
const NOT_IN_ADVANCE =
  '--approve approves the plan that is given, and with --goal there is none yet: look at the plan when it is there, ' +
  'or let what only reads run without a person, with --approval effects';
