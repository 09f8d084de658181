/** The options of a run, as they are typed. */

import { OperationError } from '../../operations/index.ts';
import type { ApprovalPolicy, RunMode, RunSettings } from '../../wire/contract/index.ts';
import type { Duration } from '../options.ts';
import { readJsonFile } from '../reading/index.ts';

export interface RunFlags {
  /** A policy by its name, or a file of rules. */
  readonly approval?: string | undefined;
  readonly approvalDeadline?: Duration | undefined;
  readonly answerDeadline?: Duration | undefined;
  readonly maxRejections?: number | undefined;
  readonly onFailure?: 'fail' | 'partial' | 'ask' | undefined;
  readonly concurrency?: number | undefined;
  /** How a goal is run. */
  readonly mode?: RunMode | undefined;
  readonly maxRounds?: number | undefined;
  readonly conversation?: string | undefined;
  /** A closed run whose finished nodes are taken over; with `fresh` what only reads is left out. */
  readonly reuse?: string | undefined;
  readonly fresh?: true | undefined;
  /** A file with a JSON object. */
  readonly context?: string | undefined;
}

/** As the workflow takes them, which checks them again: a mistake in a file is told before a run exists. */
export async function runOptionsOf(flags: RunFlags): Promise<RunSettings> {
  const { approval, approvalDeadline, answerDeadline, maxRejections, onFailure, concurrency, context } = flags;
  const { mode, maxRounds, conversation, reuse, fresh } = flags;
  return {
    ...(approval !== undefined && { approval: await readApproval(approval) }),
    ...(onFailure !== undefined && { onFailure }),
    ...(approvalDeadline?.ms !== undefined && { approvalDeadline: approvalDeadline.ms }),
    ...(answerDeadline?.ms !== undefined && { answerDeadline: answerDeadline.ms }),
    ...(maxRejections !== undefined && { maxRejections }),
    ...(concurrency !== undefined && { concurrency }),
    ...(mode !== undefined && { mode }),
    ...(maxRounds !== undefined && { maxRounds }),
    ...(conversation !== undefined && { conversation }),
    ...(reuse !== undefined && { reuse }),
    ...(fresh !== undefined && { fresh }),
    ...(context !== undefined && { context: (await readJsonFile('--context', context)) as Context }),
  };
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
