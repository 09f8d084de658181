/** How runs ask for approval, as it is typed: in a word, or as rules in a file. */

import { OperationError } from '../../operations/index.ts';
import type { ApprovalPolicy } from '../../protocol/index.ts';
import { readJsonFile } from './files.ts';

/** The run's own check tells what is wrong inside the rules. */
export async function readApproval(typed: string): Promise<ApprovalPolicy> {
  if (typed === 'required' || typed === 'effects') return typed;
  try {
    return (await readJsonFile('--approval', typed)) as ApprovalPolicy;
  } catch (error) {
    if (!(error instanceof OperationError) || error.code !== 'NO_SUCH_FILE') throw error;
    const message = `--approval: expected required or effects, or a file { "rules": [...] }; there is no file ${typed}`;
    throw new OperationError('USAGE', message);
  }
}
