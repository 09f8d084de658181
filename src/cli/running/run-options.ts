/** The options of a run, as they are typed. */

import { OperationError } from '../../operations/index.ts';
import { given, type ApprovalPolicy, type Budget, type RunSettings } from '../../wire/contract/index.ts';
import type { SettingFlags } from '../flags.ts';
import { readJsonFile, readJsonWord } from '../reading/index.ts';

/** As the workflow takes them, which checks them again: a mistake in a file is told before a run exists. */
export async function runOptionsOf(flags: SettingFlags): Promise<RunSettings> {
  const { approval, context, approvalDeadline, answerDeadline, budget } = flags;
  const { onFailure, maxRejections, concurrency, lane, mode, maxRounds, conversation, reuse, fresh } = flags;
  return given({
    approval: approval === undefined ? undefined : await readApproval(approval),
    onFailure,
    budget: budget === undefined ? undefined : (readJsonWord('--budget', budget, '{"tokens":50000}') as Budget),
    approvalDeadline: approvalDeadline?.ms,
    answerDeadline: answerDeadline?.ms,
    ...{ maxRejections, concurrency, lane, mode, maxRounds, conversation, reuse, fresh },
    context: context === undefined ? undefined : ((await readJsonFile('--context', context)) as Context),
  });
}

type Context = NonNullable<RunSettings['context']>;

/** The run's own check tells what is wrong inside the rules. */
async function readApproval(typed: string): Promise<ApprovalPolicy> {
  if (typed === 'required' || typed === 'effects') return typed;
  try {
    return (await readJsonFile('--approval', typed)) as ApprovalPolicy;
  } catch (error) {
    if (!(error instanceof OperationError) || error.code !== 'NO_SUCH_FILE') throw error;
    const message = `--approval: expected required or effects, or a file { "rules": [...] }; there is no file ${typed}`;
    throw new OperationError('USAGE', message);
  }
}
