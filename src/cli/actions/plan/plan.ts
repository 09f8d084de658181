/** `planwright plan`: makes a plan for a goal, without a run and without a server. */

import { existsSync, writeFileSync } from 'node:fs';
import { createPlan, type CreatedPlan, type Feedback } from '../../../loop/index.ts';
import type { ProjectOptions } from '../../../edge/project/index.ts';
import type { Output, Style } from '../../terminal/index.ts';
import { visible } from '../../../language/text/index.ts';
import { asTyped } from '../../as-typed.ts';
import { CliError } from '../../cli-error.ts';
import { exitCode } from '../../exit-codes.ts';
import type { GlobalOptions } from '../../global-options.ts';
import type { Duration } from '../../options/index.ts';
import { requireProject } from '../../require-project.ts';
import { planText, shellWord, usageText } from '../../showing/index.ts';
import { startWait, timeLimit } from '../../wait.ts';
import { answererFor } from './answerer.ts';
import { chosenPlanner, type ModelFlags } from './chosen-model.ts';

export interface PlanOptions extends Pick<ProjectOptions, 'config' | 'demo'>, ModelFlags {
  /** To the planner's questions, in their order. */
  readonly answer?: readonly string[] | undefined;
  /** A file that the document is written to. */
  readonly out?: string | undefined;
  readonly timeout?: Duration | undefined;
}

export async function plan(options: PlanOptions & GlobalOptions, output: Output, goal: string): Promise<number> {
  const { out, answer = [] } = options;
  if (goal.trim() === '') throw new CliError('USAGE', 'the goal is blank; say in a sentence what the plan is for');
  if (out !== undefined && existsSync(out)) {
    throw new CliError('USAGE', `${out} is there already and stays as it is; name another file with --out`);
  }
  const limit = timeLimit(options);
  const project = await requireProject(options, 'plan GOAL');
  const { registry } = project;
  const { model, prompts, format } = chosenPlanner(project, options);
  const agents = registry.agents.flatMap((name) => registry.agent(name) ?? []);
  const wait = startWait(limit, 'no plan was made; what was asked so far is paid for');
  try {
    const made = await createPlan(goal, agents, {
      model,
      capabilities: registry.offered,
      catalogue: registry,
      prompts,
      format,
      signal: wait.signal,
      onFeedback: (one) => output.note(feedbackLine(one, output)),
      onQuestion: answererFor(goal, answer, project.flag, output),
    });
    if (out !== undefined) write(out, made);
    return printPlan(made, out, output);
  } finally {
    wait.end();
  }
}

const STYLES: Readonly<Record<Feedback['is'], Style>> = {
  stage: 'bold',
  explanation: 'dim',
  node: 'cyan',
  trouble: 'yellow',
};

function feedbackLine({ is, text }: Feedback, output: Output): string {
  return `${is === 'stage' ? '' : '  '}${output.paint(STYLES[is], visible(text))}`;
}

function write(file: string, { document }: CreatedPlan): void {
  try {
    writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`, { flag: 'wx' });
  } catch (error) {
    throw new CliError('USAGE', `--out ${file} cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** A fallback is a plan, and not the one that was wanted. */
function printPlan(made: CreatedPlan, out: string | undefined, output: Output): number {
  const { plan: compiled, document, fallback, usage, trouble, feedback } = made;
  const { digest } = compiled;
  const why = trouble?.message ?? 'no model has made a valid plan';
  const error = { code: 'FALLBACK', message: `this is the fallback plan, which no model has made: ${why}` } as const;
  const text = planText(compiled, {}, { columns: output.columns });
  const record = { plan: compiled, document, digest, text, fallback, usage, feedback };
  output.print({ ok: !fallback, ...record, ...(fallback && { error: { ...error, trouble } }) }, () =>
    [
      `${visible(compiled.goal)}\n\n${text}`,
      usageText(usage),
      ...(fallback ? [error.message] : []),
      ...(out === undefined ? ['', JSON.stringify(document, null, 2)] : []),
    ].join('\n'),
  );
  if (out !== undefined) output.note(`next: ${asTyped(`run ${shellWord(out)}`)}`);
  return exitCode(fallback ? 'badOutcome' : 'done');
}
