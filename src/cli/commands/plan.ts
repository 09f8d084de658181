/** `planwright plan`: makes a plan for a goal, without a run and without a server. */

import { existsSync, writeFileSync } from 'node:fs';
import { quoteForShell, visible } from '../../plan/text/index.ts';
import { OperationError, type Heard } from '../../operations/index.ts';
import type { Question } from '../../protocol/index.ts';
import { asTyped } from '../as-typed.ts';
import { defineCommand } from '../define-command.ts';
import { duration, text, texts } from '../options.ts';
import { usageText } from '../../operations/words/index.ts';
import type { Output, Style } from '../terminal/index.ts';
import { startWait, timeLimit } from '../wait.ts';
import { PROJECT } from '../flags.ts';

const { config, demo } = PROJECT;

export const planCommand = defineCommand({
  name: 'plan',
  summary: 'make a plan for a goal; needs no server',
  description: 'make a plan for a goal by a model, and show it; needs no server, and runs nothing',
  examples: ["planwright plan 'Compare two markets' --out plan.json"],
  arguments: { goal: 'what the plan is for, in words' },
  flags: {
    config,
    demo,
    model: text('<url>', 'ask this server, which speaks the protocol of OpenAI, instead of the configured one'),
    modelName: text('<name>', 'ask this model'),
    answer: texts('answer', 'answers to what the planner asks, in the order of its questions'),
    out: text('<file>', 'write the plan document to this file, which must not be there'),
    timeout: duration('plan no longer than this'),
  },
  async run({ goal, model, modelName, answer: given = [], out, ...rest }, { output, plans, perform }) {
    if (out !== undefined && existsSync(out)) {
      throw new OperationError('USAGE', `${out} is there already and stays as it is; name another file with --out`);
    }
    const { askAnswer, readValue } = await import('../reading/index.ts');
    const wait = startWait(timeLimit(rest), 'no plan was made; what was asked so far is paid for');
    let asked = 0;
    const ask = async (question: Question) => {
      const typed = given[asked++];
      if (typed !== undefined) {
        const value = readValue(typed, question.schema);
        output.note(`${visible(question.text)} ${visible(JSON.stringify(value))}`);
        return value;
      }
      if (output.canAsk) return askAnswer(question);
      const before = given.map((one) => ` ${quoteForShell(one)}`).join('');
      const project = (await plans.project())?.flag ?? '';
      const command = asTyped(`plan ${quoteForShell(goal)}${project} --answer${before} ANSWER`);
      const schema = question.schema === undefined ? '' : ` (${JSON.stringify(question.schema)})`;
      const message = `the planner asks: ${question.text}${schema}\nanswer with: ${command}`;
      throw new OperationError('QUESTION', message, { question, command });
    };
    try {
      const hear = (told: Heard) => output.note(feedbackLine(told, output));
      const made = await perform('plan', { goal, model, modelName }, { signal: wait.signal, hear, ask });
      const { plan, document, digest, fallback, usage, trouble, offered, feedback } = made;
      if (out !== undefined) write(out, document);
      // A fallback is a plan, and not the one that was wanted.
      const why = trouble?.message ?? 'no model has made a valid plan';
      const message = `this is the fallback plan, which no model has made: ${why}`;
      const error = fallback ? { error: { code: 'FALLBACK', message, trouble } } : {};
      const { goalText, planText } = await import('../plan-text.ts');
      const shown = planText(plan, {}, { columns: output.columns });
      output.print(
        { ok: !fallback, plan, document, digest, text: shown, fallback, usage, offered, feedback, ...error },
        () =>
          [
            `${goalText(plan.goal, output.columns)}\n\n${shown}`,
            usageText(usage),
            ...(fallback ? [message] : []),
            ...(out === undefined ? ['', JSON.stringify(document, null, 2)] : []),
          ].join('\n'),
      );
      if (out !== undefined) output.note(`next: ${asTyped(`run ${quoteForShell(out)}`)}`);
      return fallback ? 'badOutcome' : 'done';
    } finally {
      wait.end();
    }
  },
});

const STYLES: Readonly<Record<string, Style>> = { stage: 'bold', explanation: 'dim', node: 'cyan', trouble: 'yellow' };

function feedbackLine({ is, text: told }: Heard, { paint }: Output): string {
  return `${is === 'stage' ? '' : '  '}${paint(STYLES[is] ?? 'dim', visible(told))}`;
}

function write(file: string, document: unknown): void {
  try {
    writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`, { flag: 'wx' });
  } catch (error) {
    throw new OperationError('USAGE', `--out ${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}
