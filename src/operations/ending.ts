/** How a run ended: its outcome, its exit, and the error that says it. */

import type { RunEnd } from '../edge/client/index.ts';
import { oneLine, visible } from '../language/text/index.ts';
import { given, isRecord } from '../wire/contract/index.ts';
import { ERROR_CODES, exitCode, type ErrorCode } from './error-codes.ts';
import { OperationError } from './operation-error.ts';
import { operation } from './operation.ts';
import { readReceipt, type Receipt } from './receipt.ts';
import { saidBy, type Ended, type Said } from './seen-run.ts';

/** The code and the sentence of every end but one. */
const ENDS: Readonly<Record<Exclude<Ended, 'done'>, readonly [code: ErrorCode, says: string]>> = {
  partial: ['RUN_PARTIAL', 'ended with a part of its results'],
  rejected: ['RUN_REJECTED', 'was rejected'],
  expired: ['RUN_EXPIRED', 'expired: nobody decided in time'],
  aborted: ['RUN_ABORTED', 'was aborted'],
  failed: ['RUN_FAILED', 'failed'],
  cancelled: ['RUN_CANCELLED', 'was cancelled'],
  terminated: ['RUN_TERMINATED', 'was terminated'],
  'timed-out': ['RUN_TIMED_OUT', 'was timed out'],
};

/** The exit of the program after a run that ended so, whatever it failed of: to be killed by a person is no fault of the run. */
export function exitOf(outcome: Ended, by?: string): number {
  return exitCode(outcome === 'done' ? 'done' : ERROR_CODES[codeOfEnd(outcome, by)].exit);
}

function codeOfEnd(outcome: Exclude<Ended, 'done'>, by: string | undefined): ErrorCode {
  return outcome === 'aborted' && by !== undefined ? 'RUN_KILLED' : ENDS[outcome][0];
}

/**
 * undefined when the run is done, and has a result.
 * @param typed how a command is typed, for where a part of the results is
 */
export function errorOfEnd(
  workflowId: string,
  end: RunEnd,
  typed: (command: string) => string = (command) => `planwright ${command}`,
): OperationError | undefined {
  const run = `run ${workflowId}`;
  if (end.how === 'failed') return failureOf(run, end);
  if (end.how !== 'completed') {
    const [code, says] = ENDS[end.how];
    const cancelled = end.how === 'cancelled';
    return new OperationError(
      code,
      `${run} ${says}${cancelled ? '' : `: ${end.message}`}`,
      cancelled ? { outcome: end.how } : {},
    );
  }
  const { outcome, missing, results, by, comment } = end.result;
  if (outcome === 'done') {
    return end.result.result === undefined
      ? new OperationError('NO_RESULT', `${run} ended without a result`)
      : undefined;
  }
  const ofNode = `a result of it is printed by \`${typed(`result ${workflowId} --node NODE`)}\``;
  const part =
    outcome === 'partial' ? `; ${ofNode}` : results === undefined ? '' : `; a part of it had run, and ${ofNode}`;
  const code = codeOfEnd(outcome, by);
  const killed = `was killed by ${oneLine(by ?? '')}: ${visible(comment ?? '', { lines: true })}`;
  const says = code === 'RUN_KILLED' ? killed : ENDS[outcome][1];
  return new OperationError(code, `${run} ${says}${part}`, given({ outcome, by, comment, results, nodes: missing }));
}

/** An end may come from another version, whose details are of another shape. */
function failureOf(run: string, { type, message, details }: Extract<RunEnd, { how: 'failed' }>): OperationError {
  const told = isRecord(details[0]) ? details[0] : {};
  const outcome = 'failed';
  if (type === 'InvalidPlan') {
    const issues = Array.isArray(told['issues']) ? (told['issues'] as readonly unknown[]) : [];
    return new OperationError('PLAN_INVALID', `${run}: ${message}`, { outcome, type, issues });
  }
  if (type === 'InvalidInput') return new OperationError('INPUT_INVALID', `${run}: ${message}`, { outcome, type });
  const nodes = Array.isArray(told['nodes']) ? { nodes: told['nodes'] as readonly unknown[] } : {};
  return new OperationError('RUN_FAILED', `${run} failed: ${message}`, { outcome, type, ...nodes });
}

export interface Ending extends Said {
  readonly workflowId: string;
  readonly receipt: Receipt;
  /** The file that the run gave, as `2 records -> result.bed`, where the store at hand tells of one. */
  readonly written?: string;
  /** With the details of the error, such as the nodes without a result. Absent when the run is done. */
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly [detail: string]: unknown };
}

export const ending = operation({
  name: 'ending',
  does: 'Waits for the end of a run, and says how it ended: its outcome, its result, what had to be tried again.',
  input: (z) => z.object({ workflowId: z.string() }),
  output: (z) => z.looseObject({ workflowId: z.string(), outcome: z.string(), receipt: z.unknown() }),
  async run(plans, { workflowId }, { signal } = {}): Promise<Ending> {
    const { run } = await plans.run(workflowId);
    const end = await run.end(signal);
    const told = saidBy(end);
    const ended = { workflowId, receipt: await readReceipt(run), ...told };
    const error = errorOfEnd(workflowId, end, plans.typed);
    if (error === undefined) {
      const { readWritten } = await import('./written.ts');
      return { ...ended, ...given({ written: await readWritten(run, told.result) }) };
    }
    // A partial end names its nodes as `missing` already.
    const details = told.missing === undefined ? error.details : {};
    return { ...ended, error: { code: error.code, message: error.message, ...details } };
  },
});
