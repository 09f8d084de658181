/** `planwright eval`: how good the plans of a model are, by cases. */

import type { OutputOf } from '../../operations/index.ts';
import { table } from '../../plan/lines/index.ts';
import { counted, visible } from '../../plan/text/index.ts';
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

export const evalAddView: View<'caseOf'> = {
  show: ({ case: { name }, file, cases, digest, by }) =>
    visible(`added ${name} to ${file}, ${counted(cases, 'case')} now: the plan ${digest.slice(0, 8)}, by ${by}`),
};
