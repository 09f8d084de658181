import { IN_PROJECT, wrongUsage, SIGNED, textField } from '../../operations/index.ts';
import { byHand } from '../define-command.ts';
import { SETTINGS, STARTING } from '../flags.ts';

const place = [...IN_PROJECT, 'taskQueue', 'timeout', ...SIGNED] as const;

/**
 * Starts a run and follows it. Without a config, only the worker checks the plan. At a terminal, asks for the decision.
 * On stderr it prints a line for each change and each ended node, and what waits for a person with its command. Ctrl-C
 * ends the command, not the run.
 *
 * - `--dev`: starts a worker in this process, and a server if none runs, until the command ends; a plan over files
 *   (docs/files.md) needs no config. It uses the `taskQueue` of the config, else a queue of its own, and prints which: a
 *   later worker on that queue continues the run.
 * - `--approve`, `--yes`: not with `--goal`, whose plan nobody has seen.
 * - `--approval`: docs/approval.md has the rules.
 * - `--reuse`: docs/long-runs.md#going-on-from-a-closed-run. Without a file, the run starts with the plan and options
 *   of the closed run. Name a file for a plan that was edited or made from a goal, unless it is a list of steps.
 * - `--key` also signs the start.
 *
 * At the end it prints a receipt on stderr: `done in 10.6 s: 2,149 records; 1 retry (node_2, worker lost); approved by
 * reviewer`. A plan that only the worker finds invalid exits 3 with its issues.
 *
 * JSON:
 * `{"ok","workflowId","outcome","digest","revision","result"?,"results"?,"missing"?,"receipt":{"ms"?,"retried","approvedBy"},"written"?,"usage"?,"error"?}`,
 * `usage` as in `watch`.
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
      throw wrongUsage(
        'give a plan document (a file, or - for standard input), --goal GOAL, or --reuse RUN alone, one of the three',
      );
    }
    if (goal !== undefined && (approve ?? yes) !== undefined) throw wrongUsage(NOT_IN_ADVANCE);
    const { followNewRun } = await import('../running/follow-run.ts');
    return followNewRun(isOfRun ? { ...typed, run: reuse, reuse: undefined } : typed, shell);
  },
});

const NOT_IN_ADVANCE =
  '--approve approves the plan that is given, and with --goal there is none yet: look at the plan when it is there, ' +
  'or let what only reads run without a person, with --approval effects';
