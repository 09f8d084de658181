/** `planwright run` and `rerun`: starts a run, shows it, lets a person decide, and waits for its end. */

import { IN_PROJECT, OperationError, SIGNED, textField } from '../../operations/index.ts';
import { asTyped } from '../as-typed.ts';
import { byHand } from '../define-command.ts';
import { SETTINGS, STARTING } from '../flags.ts';

const place = [...IN_PROJECT, 'taskQueue', 'timeout', ...SIGNED] as const;

export const run = byHand({
  command: {
    words: 'run [file]',
    example: 'run plan.json --approve --by reviewer',
    place,
    from: {
      document: 'document',
      approval: 'approval',
      approvalDeadline: 'duration',
      answerDeadline: 'duration',
      budget: 'json',
      context: 'object',
    },
  },
  does: 'Starts a run of a plan, or of a goal that its worker plans, and waits for its end.',
  input: (z) =>
    z.object({
      document: z.unknown().optional().describe('plan document'),
      goal: textField(z, 'in place of a file: what is to be done, in words; the worker asks its model for a plan'),
      model: textField(z, 'refused: a run asks the model of its worker; `plan` takes it'),
      ...STARTING(z),
      ...SETTINGS(z),
    }),
  async run(typed, shell) {
    const { document, goal, model, approve, yes } = typed;
    if (model !== undefined) throw new OperationError('USAGE', modelOfWorker());
    if ((goal === undefined) === (document === undefined)) {
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

export const rerun = byHand({
  command: { words: 'rerun <run>', example: 'rerun plan-1', place },
  does: 'Starts the plan of a closed run anew, and takes over what that run has finished.',
  input: (z) => z.object({ run: z.string().describe('the closed run'), ...STARTING(z) }),
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
