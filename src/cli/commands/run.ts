/** `planwright run` and `rerun`: starts a run, shows it, lets a person decide, and waits for its end. */

import { OperationError } from '../../operations/index.ts';
import { asTyped } from '../as-typed.ts';
import { defineCommand } from '../define-command.ts';
import { GOAL, SETTINGS, STARTING } from '../flags.ts';
import { flag, text } from '../options.ts';

export const runCommand = defineCommand({
  name: 'run',
  description: 'start a run of a plan, or of a goal that its worker plans, and wait for its end',
  examples: ['planwright run plan.json --approve --by reviewer'],
  arguments: { 'file?': 'plan document, or - for standard input' },
  flags: {
    goal: text('<goal>', 'in place of a file: what is to be done, in words; the worker asks its model for a plan'),
    ...GOAL,
    model: text('<url>', 'refused: a run asks the model of its worker; `plan` takes it'),
    ...STARTING,
    ...SETTINGS,
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
