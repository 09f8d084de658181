/** The options of a run, as they are typed. */

import { given, type Budget, type RunSettings } from '../../protocol/index.ts';
import type { SettingFlags } from '../flags.ts';
import { readApproval, readJsonFile, readJsonWord } from '../reading/index.ts';

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
