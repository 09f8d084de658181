/** The options of a run, as they are typed. */

import { CliError } from '../cli-error.ts';
import { readPlan } from './read-plan.ts';
import { choiceOption, countOption, durationOption } from './values.ts';

export interface RunFlags {
  readonly approval?: string;
  readonly approvalDeadline?: string;
  readonly answerDeadline?: string;
  readonly maxRejections?: string;
  readonly onFailure?: string;
  readonly concurrency?: string;
  readonly context?: string;
}

/** As the workflow takes them; it checks them again, but a mistake in a flag is told before a run exists. */
export async function runOptionsOf(options: RunFlags): Promise<Readonly<Record<string, unknown>>> {
  const onFailure = choiceOption('--on-failure', options.onFailure, ['fail', 'partial', 'ask']);
  const approvalDeadline = durationOption('--approval-deadline', options.approvalDeadline);
  const answerDeadline = durationOption('--answer-deadline', options.answerDeadline);
  const maxRejections = countOption('--max-rejections', options.maxRejections);
  const concurrency = countOption('--concurrency', options.concurrency);
  return {
    ...(options.approval !== undefined && { approval: await readApproval(options.approval) }),
    ...(onFailure !== undefined && { onFailure }),
    ...(approvalDeadline !== undefined && { approvalDeadline }),
    ...(answerDeadline !== undefined && { answerDeadline }),
    ...(maxRejections !== undefined && { maxRejections }),
    ...(concurrency !== undefined && { concurrency }),
    ...(options.context !== undefined && { context: await readContext(options.context) }),
  };
}

/** A policy by its name, or rules from a file; what is in it is told by the run's own check. */
async function readApproval(typed: string): Promise<unknown> {
  if (typed === 'required' || typed === 'effects') return typed;
  try {
    return await readJson('--approval', typed);
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'NO_SUCH_FILE') throw error;
    const message = `--approval: expected required or effects, or a file { "rules": [...] }; there is no file ${typed}`;
    throw new CliError('USAGE', message);
  }
}

/** External context by key; what is in it is told by the run's own check. */
function readContext(file: string): Promise<unknown> {
  return readJson('--context', file);
}

async function readJson(flag: string, file: string): Promise<unknown> {
  const bytes = await readPlan(file);
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw new CliError('INPUT_INVALID', `${flag} ${file} is no JSON: ${(error as Error).message}`);
  }
}
