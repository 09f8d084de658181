/** The options of a run, as they are typed. */

import { given, type Budget, type RunSettings } from '../../protocol/index.ts';
import type { SettingFlags } from '../flags.ts';
import { OperationError } from '../../operations/index.ts';
import type { Duration } from '../options.ts';
import { readApproval, readJsonFile, readJsonWord } from '../reading/index.ts';

/** As the workflow takes them, which checks them again: a mistake in a file is told before a run exists. */
export async function runOptionsOf(flags: SettingFlags): Promise<RunSettings> {
  const { approval, context, approvalDeadline, answerDeadline, budget } = flags;
  const { onFailure, maxRejections, concurrency, lane, mode, maxRounds, conversation, reuse, fresh } = flags;
  return given({
    approval: approval === undefined ? undefined : await readApproval(approval),
    onFailure,
    budget: budget === undefined ? undefined : (readJsonWord('--budget', budget, '{"tokens":50000}') as Budget),
    approvalDeadline: deadlineOf('--approval-deadline', approvalDeadline),
    answerDeadline: deadlineOf('--answer-deadline', answerDeadline),
    ...{ maxRejections, concurrency, lane, mode, maxRounds, conversation, reuse, fresh },
    context: context === undefined ? undefined : ((await readJsonFile('--context', context)) as Context),
  });
}

type Context = NonNullable<RunSettings['context']>;

/** A person who has no time to answer cannot; a flag that says so is a mistake. */
function deadlineOf(flag: string, typed: Duration | undefined): number | undefined {
  if (typed === undefined || typed.ms !== undefined) return typed?.ms;
  throw new OperationError('USAGE', `${flag}: expected a time above 0, such as 10m or 24h, got "${typed.typed}"`);
}
