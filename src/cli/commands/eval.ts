/** `planwright eval`: how good the plans of a model are, by cases. */

import { OperationError, type OutputOf } from '../../operations/index.ts';
import { table } from '../../plan/lines/index.ts';
import { counted, visible } from '../../plan/text/index.ts';
import { defineCommand } from '../define-command.ts';
import { PROJECT } from '../flags.ts';
import { required, text } from '../options.ts';
import type { View } from '../row-command.ts';
import { usageText } from '../../operations/words/index.ts';

export const evalView: View<'evaluate'> = {
  onward: 'the evaluation has not ended; replies that were bought are kept',
  hear: ({ text: told }, output) => output.note(visible(told)),
  fails: ({ passed, problems }) => !passed || problems.length > 0,
  exit: ({ passed, problems }) => (problems.length > 0 ? 'usage' : passed ? 'done' : 'badOutcome'),
  show: (report, { output }) => reportText(report, output.columns),
};

type Evaluated = OutputOf<'evaluate'>;

/** A line for each case: how many attempts passed, how it changed, and why the first one that failed did. */
function reportText({ cases, comparison, ...all }: Evaluated, columns: number): string {
  const changes = new Map(comparison?.changes.map(({ name, change }) => [name, change]));
  const rows = cases.map(({ name, attempts }) => {
    const passed = attempts.filter((one) => one.passed).length;
    const failed = attempts.find((one) => !one.passed);
    const why = failed?.grades.flatMap((grade) => (grade.why === undefined ? [] : [`${grade.grader}: ${grade.why}`]));
    const words = [changes.get(name) ?? '', ...(why ?? []), failed?.trouble ?? ''].filter((word) => word !== '');
    return [name, `${passed}/${attempts.length}`, words.join('; ')];
  });
  const gone = comparison?.changes.filter(({ change }) => change === 'gone') ?? [];
  return [
    table(rows, { columns, right: [1] }),
    '',
    `pass@1 ${percent(all.pass1)}, pass@${all.repeat} ${percent(all.passK)} of ${cases.length} cases, by ${visible(all.model)}`,
    `${usageText(all.usage)}; ${all.bought} of the calls made now, ${all.reused} reused`,
    ...(gone.length === 0
      ? []
      : [`gone since the earlier report: ${gone.map(({ name }) => visible(name)).join(', ')}`]),
  ].join('\n');
}

function percent(part: number): string {
  return `${Math.floor(part * 100)} %`;
}

export const evalAddCommand = defineCommand({
  name: 'add',
  description: 'add the plan that a person approved or edited in a run to a file of cases',
  examples: ['planwright eval add plan-1 --to cases.json'],
  arguments: { workflowId: 'the run' },
  flags: {
    ...PROJECT,
    to: required(text('<file>', 'the file of cases, in JSON or YAML; it is made if it is not there')),
    name: text('<name>', 'name of the case (default: the id of the run)'),
  },
  async run({ workflowId, to, name }, { output, perform }) {
    const { appendCase, CaseFileError } = await import('../../operations/evaluation/index.ts');
    const { case: added, digest, by, verified } = await perform('caseOf', { workflowId, name });
    const cases = await appendCase(to, added).catch((error: unknown) => {
      throw error instanceof CaseFileError ? new OperationError('INPUT_INVALID', error.message) : error;
    });
    output.print({ ok: true, file: to, cases, case: added, digest, by, verified }, () =>
      visible(`added ${added.name} to ${to}, ${counted(cases, 'case')} now: the plan ${digest.slice(0, 8)}, by ${by}`),
    );
    return 'done';
  },
});
