/** `planwright run`: starts a run, shows it, asks for decisions, and waits for its end. */

import { IN_PROJECT, OperationError, SIGNED, textField } from '../../operations/index.ts';
import { byHand } from '../define-command.ts';
import { SETTINGS, STARTING } from '../flags.ts';

const place = [...IN_PROJECT, 'taskQueue', 'timeout', ...SIGNED] as const;

/**
 * Without a config only the worker checks the plan. At a terminal it asks for the decision, draws the tree again as
 * nodes end, and below it what goes on now (docs/runs.md); elsewhere it writes a line for each node that ended.
 * Whatever waits for a person is told once on stderr, with the command to type. Ctrl-C ends the waiting, not the run.
 *
 * - `--goal`: the stages of planning and what the model writes are told, then the plan is shown.
 * - `--detach`: prints the workflow id and does not wait.
 * - `--dev`: in this process, for as long as the run is waited for; needs no config for a plan over files
 *   (docs/files.md). What is left of the run goes on when a worker of its queue is there again.
 * - `--approve`, `--yes`: not with `--goal`, whose plan nobody has seen.
 * - `--approval`: docs/approval.md has the rules.
 * - `--reuse`: docs/long-runs.md#going-on-from-a-closed-run. Without a file the plan and the options of that run are
 *   started, under an id of its own; its plan is written as a document again where it was edited or made of a goal and
 *   is a list of steps, and any other one is given as a file.
 * - `--key` signs the start as well.
 *
 * At the end a receipt is told on stderr: `done in 10.6 s: 2,149 records; 1 retry (node_2, worker lost); approved by
 * reviewer`. A file that the run has written is told by its name, as `2 records -> result.bed`. A plan that only the
 * worker finds invalid exits 3 with its issues, approved in advance or not.
 *
 * JSON:
 * `{"ok","workflowId","outcome","digest","revision","result"?,"results"?,"missing"?,"receipt":{"ms"?,"retried","approvedBy"},"written"?,"usage"?,"error"?}`,
 * `usage` as of `watch`. `result` prints the content of a result.
 */
export const run = byHand({
  command: {
    words: 'run [file]',
    example: 'run plan.json --approve --by reviewer',
    place,
    from: {
      document: 'document',
      approval: 'approval',
      approvalDeadline: 'deadline',
      answerDeadline: 'deadline',
      budget: 'json',
      context: 'object',
    },
  },
  does: 'Start a run of a plan or of a goal, and wait for its end.',
  input: (z) =>
    z.object({
      document: z.unknown().optional().describe('plan document'),
      goal: textField(z, 'in place of a file: what is to be done, in words; the worker asks its model for a plan'),
      ...STARTING(z),
      ...SETTINGS(z),
    }),
  async run(typed, shell) {
    const { document, goal, approve, yes, reuse } = typed;
    const isOfRun = (goal ?? document) === undefined && reuse !== undefined;
    if (!isOfRun && (goal === undefined) === (document === undefined)) {
      throw new OperationError(
        'USAGE',
        'give a plan document (a file, or - for standard input), --goal GOAL, or --reuse RUN alone, one of the three',
      );
    }
    if (goal !== undefined && (approve ?? yes) !== undefined) throw new OperationError('USAGE', NOT_IN_ADVANCE);
    const { followNewRun } = await import('../running/index.ts');
    return followNewRun(isOfRun ? { ...typed, run: reuse, reuse: undefined } : typed, shell);
  },
});

const NOT_IN_ADVANCE =
  '--approve approves the plan that is given, and with --goal there is none yet: look at the plan when it is there, ' +
  'or let what only reads run without a person, with --approval effects';
