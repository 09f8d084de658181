/** How a run ended: its outcome, its exit, and the error that says it. */

import type { RunEnd } from '../edge/client/index.ts';
import { oneLine, visible } from '../language/text/index.ts';
import { given, isRecord, type Outcome, type StoppedResult } from '../wire/contract/index.ts';
import { ERROR_CODES, exitCode, type ErrorCode } from './error-codes.ts';
import { OperationError } from './operation-error.ts';
import { operation } from './operation.ts';
import type { Receipt } from './receipt.ts';

/** The run says it itself, or the server ended it. */
export type Ended = Outcome | 'terminated' | 'timed-out';

/** The outcome of a run, and the person who ended it at once, if one did. */
export interface HowEnded {
  readonly outcome: Ended;
  readonly by?: string | undefined;
}

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

export function outcomeOf(end: RunEnd): Ended {
  return end.how === 'completed' ? end.result.outcome : end.how;
}

/** The exit of the program after a run that ended so: to be killed by a person is no fault of the run. */
export function exitOf({ outcome, by }: HowEnded): number {
  if (outcome === 'done') return exitCode('done');
  return exitCode(ERROR_CODES[outcome === 'aborted' && by !== undefined ? 'RUN_KILLED' : ENDS[outcome][0]].exit);
}

/** A run that failed is a bad outcome whatever it failed of, as `status` says it too. */
export function exitOfEnd(end: RunEnd): number {
  return exitOf({ outcome: outcomeOf(end), by: end.how === 'completed' ? end.result.by : undefined });
}

/**
 * undefined when the run is done.
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
  if (outcome === 'done') return undefined;
  const ofNode = `a result of it is printed by \`${typed(`result ${workflowId} --node NODE`)}\``;
  const part =
    outcome === 'partial' ? `; ${ofNode}` : results === undefined ? '' : `; a part of it had run, and ${ofNode}`;
  const isKilled = outcome === 'aborted' && by !== undefined;
  const says = isKilled ? `was killed by ${oneLine(by)}: ${visible(comment ?? '', { lines: true })}` : ENDS[outcome][1];
  return new OperationError(
    isKilled ? 'RUN_KILLED' : ENDS[outcome][0],
    `${run} ${says}${part}`,
    given({ outcome, by, comment, results, nodes: missing }),
  );
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

/** All that the run said of its end, else the outcome alone. */
export interface Ending extends Partial<Omit<StoppedResult, 'outcome'>> {
  readonly workflowId: string;
  readonly outcome: Ended;
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
    const { readReceipt } = await import('./receipt.ts');
    const ended = { workflowId, receipt: await readReceipt(run) };
    const error = errorOfEnd(workflowId, end, plans.typed) ?? noResult(workflowId, end);
    const told: Pick<Ending, 'outcome'> & Partial<Ending> = end.how === 'completed' ? end.result : { outcome: end.how };
    if (error === undefined) {
      const { readWritten } = await import('./written.ts');
      const written = await readWritten(run, told.result);
      return { ...ended, ...told, ...given({ written }) };
    }
    // A partial end names its nodes as `missing` already.
    const details = 'missing' in told ? {} : error.details;
    return { ...ended, ...told, error: { code: error.code, message: error.message, ...details } };
  },
});

function noResult(workflowId: string, end: RunEnd): OperationError | undefined {
  if (end.how === 'completed' && end.result.result !== undefined) return undefined;
  return new OperationError('NO_RESULT', `run ${workflowId} ended without a result`);
}
