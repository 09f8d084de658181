/** How a run ended: its exit, the error that says it, and the account of it: how long it took, what was tried again, who let it run. */

import type { RunHandle } from '../client/index.ts';
import { oneLine, visible } from '../plan/text/index.ts';
import {
  given,
  isRecord,
  type BegunView,
  type NodeView,
  type RunEnd,
  type RunParts,
  type RunStatus,
  type TraceEntry,
} from '../protocol/index.ts';
import { ERROR_CODES, type ErrorCode, type ExitName } from './error-codes.ts';
import { OperationError } from './operation-error.ts';
import { operation } from './operation.ts';
import { saidBy, timesOf, type Ended, type Said } from './seen-run.ts';

/** The code and the sentence of every end; a run that is done has a result. */
const ENDS: Readonly<Record<Ended, readonly [code: ErrorCode, says: string]>> = {
  done: ['NO_RESULT', 'ended without a result'],
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
export function exitOf(outcome: Ended, by?: string): ExitName {
  return outcome === 'done' ? 'done' : ERROR_CODES[codeOfEnd(outcome, by)].exit;
}

function codeOfEnd(outcome: Ended, by: string | undefined): ErrorCode {
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
  if (outcome === 'done' && end.result.result !== undefined) return undefined;
  const ofNode = `a result of it is printed by \`${typed(`result ${workflowId} --node NODE`)}\``;
  const part =
    outcome === 'partial' ? `; ${ofNode}` : results === undefined ? '' : `; a part of it had run, and ${ofNode}`;
  const code = codeOfEnd(outcome, by);
  const why = comment === undefined ? '' : `: ${visible(comment, { lines: true })}`;
  const does = code === 'RUN_KILLED' ? 'was killed' : ENDS[outcome][1];
  const says = by === undefined ? does : `${does} by ${oneLine(by)}${why}`;
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
  does: 'Waits for the end of a run, and says how it ended: its outcome, its result, what had to be tried again.',
  input: (z) => z.object({ workflowId: z.string() }),
  async run(plans, { workflowId }, { signal } = {}): Promise<Ending> {
    const { run } = await plans.run(workflowId);
    const end = await run.end(signal);
    const told = saidBy(end);
    const ended = { workflowId, receipt: await readReceipt(run, told.result?.ref), ...told };
    const error = errorOfEnd(workflowId, end, plans.typed);
    if (error === undefined) {
      const { valueOf } = await import('../client/values.ts');
      const { written } = (await valueOf(run, { ...told, effect: 'idempotent' })) ?? {};
      return { ...ended, ...given({ written }) };
    }
    // A partial end names its nodes as `missing` already.
    const details = told.missing === undefined ? error.details : {};
    return { ...ended, error: { code: error.code, message: error.message, ...details } };
  },
});

/** The facts about an ended run beside its end. All of it may be missing: nobody may be left to tell. */
export interface Receipt {
  /** Milliseconds from its start to its end. */
  readonly ms?: number;
  /** Nodes that took more than one attempt. */
  readonly retried: readonly (Pick<BegunView, 'id' | 'attempt' | 'before'> & { readonly key?: string })[];
  readonly approvedBy: readonly string[];
  /** The closed run that the result is of. */
  readonly resultOf?: string;
  /** Nodes with notes on their results, such as how many lines of a file were left out. Absent if there are none. */
  readonly notes?: readonly Pick<NodeView, 'id' | 'key' | 'notes'>[];
}

/** As far as server and worker can tell: a receipt is no reason for a run that has ended to be told otherwise. */
async function readReceipt(run: RunHandle, result: string | undefined): Promise<Receipt> {
  const read = <Part extends keyof RunParts>(part: Part): Promise<Partial<Pick<RunParts, Part>>> =>
    run.view([part]).catch(() => ({}));
  const [{ status: standing = {} as Partial<RunStatus> }, { begun }, { nodes = [] }, { trace }] = await Promise.all([
    read('status'),
    read('begun'),
    read('nodes'),
    read('trace'),
  ]);
  const times = await timesOf(run, standing).catch(() => undefined);
  const ms = times?.endedAt === undefined ? undefined : Date.parse(times.endedAt) - Date.parse(times.startedAt);
  const keyOf = new Map(nodes.map(({ id, key }) => [id, key]));
  const retried = (begun?.nodes ?? [])
    .filter(({ attempt }) => attempt > 1)
    .map(({ id, revision, attempt, before }) => {
      // A node of an earlier plan is another one than that of this id now.
      const key = revision === standing.revision ? keyOf.get(id) : undefined;
      return given({ id, attempt, key, before });
    });
  const noted = nodes.flatMap(({ id, key, notes }) => (notes === undefined ? [] : [given({ id, key, notes })]));
  const notes = noted.length > 0 ? noted : undefined;
  const resultOf = nodes.find((node) => node.result?.ref === result)?.reusedFrom?.run;
  return { ...given({ ms, notes, resultOf }), retried, approvedBy: approversIn(trace?.entries ?? []) };
}

/** The people who have approved, each once, in the order in which they did; the last plan's people of a run that was edited come last. */
export function approversIn(entries: readonly TraceEntry[]): readonly string[] {
  const names = entries.flatMap((entry) => {
    if (entry.what !== 'decision' || entry.said === undefined) return [];
    const { kind, by, role } = entry.said;
    if (kind !== 'approve' && kind !== 'approve-part') return [];
    return [`${by}${role === undefined ? '' : ` as ${role}`}`];
  });
  return [...new Set(names)];
}
