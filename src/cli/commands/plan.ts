/** The command `planwright plan`: the planner's questions, the plan as text, and the written file. */

import { existsSync, writeFileSync } from 'node:fs';
import { quoteForShell, visible } from '../../plan/text/index.ts';
import { OperationError, wrongUsage, type OutputOf } from '../../operations/index.ts';
import { schemaText } from '../../protocol/index.ts';
import { asTyped } from '../typed-command.ts';
import type { View } from '../row-command.ts';
import { usageText } from '../../operations/words/index.ts';
import type { Style } from '../terminal/index.ts';

export const planView: View<'plan'> = {
  onward: 'no plan was made; what was asked so far is paid for',
  onProgress: ({ is, text }, { note, paint }) =>
    note(`${is === 'stage' ? '' : '  '}${paint(STYLES[is] ?? 'dim', visible(text))}`),
  async handle(work, _input, { typed }) {
    const out = typed['out'] as string | undefined;
    if (out !== undefined && existsSync(out)) {
      throw wrongUsage(`${out} is there already and stays as it is; name another file with --out`);
    }
    const made = await work();
    if (out !== undefined) write(out, made.document);
    return made;
  },
  ask({ typed, output, plans }) {
    const typedAnswers = (typed['answer'] ?? []) as readonly string[];
    let count = 0;
    return async (question) => {
      const { askAnswer, readTypedAnswer } = await import('../reading/index.ts');
      const answer = typedAnswers[count++];
      if (answer !== undefined) {
        const value = readTypedAnswer(answer, question.schema);
        output.note(`${visible(question.text)} ${visible(JSON.stringify(value))}`);
        return value;
      }
      if (output.canAsk) return askAnswer(question);
      const before = typedAnswers.map((one) => ` ${quoteForShell(one)}`).join('');
      const project = (await plans.project())?.flag ?? '';
      const command = asTyped(`plan ${quoteForShell(typed['goal'] as string)}${project} --answer${before} ANSWER`);
      const schema = question.schema === undefined ? '' : ` (${schemaText(question.schema)})`;
      const message = `the planner asks: ${question.text}${schema}\nanswer with: ${command}`;
      throw new OperationError('QUESTION', message, { question, command });
    };
  },
  fails: ({ fallback }) => fallback,
  async json(made, { output }) {
    const { plan, document, digest, fallback, usage, trouble, offered, feedback } = made;
    const { planText } = await import('../plan-text.ts');
    const text = planText(plan, {}, { columns: output.columns });
    const error = fallback ? { error: { code: 'FALLBACK', message: fallbackText(made), trouble } } : {};
    return { plan, document, digest, text, fallback, usage, offered, feedback, ...error };
  },
  async show(made, { typed, output: { columns } }) {
    const { goalText, planText } = await import('../plan-text.ts');
    return [
      `${goalText(made.plan.goal, columns)}\n\n${planText(made.plan, {}, { columns })}`,
      usageText(made.usage),
      ...(made.fallback ? [fallbackText(made)] : []),
      ...(typed['out'] === undefined ? ['', JSON.stringify(made.document, null, 2)] : []),
    ].join('\n');
  },
  notes: (_made, { typed: { out } }) =>
    out === undefined ? [] : [`next: ${asTyped(`run ${quoteForShell(out as string)}`)}`],
};

function fallbackText({ trouble }: OutputOf<'plan'>): string {
  return `this is the fallback plan, which no model has made: ${trouble?.message ?? 'no model has made a valid plan'}`;
}

const STYLES: Readonly<Record<string, Style>> = { stage: 'bold', explanation: 'dim', node: 'cyan', trouble: 'yellow' };

function write(file: string, document: unknown): void {
  try {
    writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`, { flag: 'wx' });
  } catch (error) {
    throw wrongUsage(`--out ${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}
