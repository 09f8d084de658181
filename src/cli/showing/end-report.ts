/** How a run ended, as an error with its exit code, and as text. */

import type { RunEnd } from '../../edge/client/index.ts';
import type { PlanIssue } from '../../language/plan/index.ts';
import { isRecord, type NodeView, type Outcome } from '../../wire/contract/index.ts';
import { oneLine, visible } from '../../language/text/index.ts';
import { asTyped } from '../as-typed.ts';
import { CliError } from '../cli-error.ts';
import { exitOf, type Ended, type ErrorCode } from '../exit-codes.ts';

const CODES: Readonly<Record<Exclude<Outcome, 'done'>, ErrorCode>> = {
  partial: 'RUN_PARTIAL',
  rejected: 'RUN_REJECTED',
  expired: 'RUN_EXPIRED',
  aborted: 'RUN_ABORTED',
  failed: 'RUN_FAILED',
  cancelled: 'RUN_CANCELLED',
};

const SENTENCES: Readonly<Record<Exclude<Outcome, 'done'>, (workflowId: string) => string>> = {
  partial: (id) => `ended with a part of its results; ${NODE_HINT(id)}`,
  rejected: () => 'was rejected',
  expired: () => 'expired: nobody decided in time',
  aborted: () => 'was aborted',
  failed: () => 'failed',
  cancelled: () => 'was cancelled',
};

const NODE_HINT = (id: string) => `a result of it is printed by \`${asTyped(`result ${id} --node NODE`)}\``;

export function outcomeOf(end: RunEnd): Ended {
  return end.how === 'completed' ? end.result.outcome : end.how;
}

/** A run that failed is a bad outcome whatever it failed of, as `status` says it too. */
export function exitOfEnd(end: RunEnd): number {
  const { by } = end.how === 'completed' ? end.result : {};
  return exitOf({ outcome: outcomeOf(end), ...(by !== undefined && { by }) });
}

/** undefined when the run is done. */
export function errorOfEnd(workflowId: string, end: RunEnd): CliError | undefined {
  const run = `run ${workflowId}`;
  if (end.how === 'completed') {
    const { outcome, missing, results, by, comment } = end.result;
    if (outcome === 'done') return undefined;
    const part =
      outcome !== 'partial' && results !== undefined ? `; a part of it had run, and ${NODE_HINT(workflowId)}` : '';
    const killed = outcome === 'aborted' && by !== undefined;
    const sentence = killed
      ? `was killed by ${oneLine(by)}: ${visible(comment ?? '', { lines: true })}`
      : SENTENCES[outcome](workflowId);
    return new CliError(killed ? 'RUN_KILLED' : CODES[outcome], `${run} ${sentence}${part}`, {
      outcome,
      ...(by !== undefined && { by }),
      ...(comment !== undefined && { comment }),
      ...(results !== undefined && { results }),
      ...(missing !== undefined && { nodes: missing }),
    });
  }
  if (end.how === 'failed') return failureOf(run, end);
  if (end.how === 'cancelled') return new CliError('RUN_CANCELLED', `${run} was cancelled`, { outcome: 'cancelled' });
  const code = end.how === 'terminated' ? 'RUN_TERMINATED' : 'RUN_TIMED_OUT';
  return new CliError(code, `${run} was ${end.how === 'terminated' ? 'terminated' : 'timed out'}: ${end.message}`);
}

/** Nodes without a result, of a failed or a partial end. */
export function nodesOfError({ details }: CliError): readonly NodeView[] {
  return Array.isArray(details['nodes']) ? (details['nodes'] as readonly NodeView[]) : [];
}

function failureOf(run: string, { type, message, details }: Extract<RunEnd, { how: 'failed' }>): CliError {
  const [told] = details;
  const outcome = 'failed';
  if (type === 'InvalidPlan') {
    const issues = isRecord(told) && Array.isArray(told['issues']) ? (told['issues'] as readonly PlanIssue[]) : [];
    return new CliError('PLAN_INVALID', `${run}: ${message}`, { outcome, type, issues });
  }
  if (type === 'InvalidInput') return new CliError('INPUT_INVALID', `${run}: ${message}`, { outcome, type });
  const nodes = isRecord(told) && Array.isArray(told['nodes']) ? (told['nodes'] as readonly NodeView[]) : undefined;
  return new CliError('RUN_FAILED', `${run} failed: ${message}`, {
    outcome,
    type,
    ...(nodes !== undefined && { nodes }),
  });
}
