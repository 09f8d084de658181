import type { RunHandle } from '../client/index.ts';
import { oneLine, quoteForShell, visible } from '../plan/text/index.ts';
import {
  given,
  isRecord,
  type ExecutedNode,
  type NodeView,
  type RunEnd,
  type RunParts,
  type RunStatus,
  type TraceEntry,
} from '../protocol/index.ts';
import { ERROR_CODES, type ErrorCode, type ExitName } from './error-codes.ts';
import { OperationError } from './operation-error.ts';
import { operation } from './operation.ts';
import { endFacts, timesOf, type EndOutcome, type EndFacts } from './run-facts.ts';

const ENDS: Readonly<Record<EndOutcome, readonly [code: ErrorCode, says: string]>> = {
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

/** The exit code for a run with this outcome. If a person killed the run, it is `rejected`, not failed. */
export function exitOf(outcome: EndOutcome, by?: string): ExitName {
  return outcome === 'done' ? 'done' : ERROR_CODES[codeOfEnd(outcome, by)].exit;
}

function codeOfEnd(outcome: EndOutcome, by: string | undefined): ErrorCode {
  return outcome === 'aborted' && by !== undefined ? 'RUN_KILLED' : ENDS[outcome][0];
}

/**
 * The error for a run that did not end as `done`; undefined for `done`.
 * @param typed returns a command as people type it here
 */
export function errorOfEnd(
  workflowId: string,
  end: RunEnd,
  typed: (command: string) => string = (command) => `planwright ${command}`,
): OperationError | undefined {
  const run = `run ${workflowId}`;
  if (end.how === 'failed') return failureOf(run, end);
  if (end.how !== 'completed') {
    const [code, sentence] = ENDS[end.how];
    const cancelled = end.how === 'cancelled';
    return new OperationError(
      code,
      `${run} ${sentence}${cancelled ? '' : `: ${end.message}`}`,
      cancelled ? { outcome: end.how } : {},
    );
  }
  const { outcome, missing, results, by, comment } = end.result;
  if (outcome === 'done' && end.result.result !== undefined) return undefined;
  const ofNode = `a result of it is printed by \`${typed(`result ${quoteForShell(workflowId)} --node NODE`)}\``;
  const part =
    outcome === 'partial' ? `; ${ofNode}` : results === undefined ? '' : `; a part of it had run, and ${ofNode}`;
  const code = codeOfEnd(outcome, by);
  const why = comment === undefined ? '' : `: ${visible(comment, { lines: true })}`;
  const does = code === 'RUN_KILLED' ? 'was killed' : ENDS[outcome][1];
  const text = by === undefined ? does : `${does} by ${oneLine(by)}${why}`;
  return new OperationError(code, `${run} ${text}${part}`, given({ outcome, by, comment, results, nodes: missing }));
}

/** Parses the details of a failure. Another version may have written them in another form. */
function failureOf(run: string, { type, message, details }: Extract<RunEnd, { how: 'failed' }>): OperationError {
  const detail = isRecord(details[0]) ? details[0] : {};
  const outcome = 'failed';
  if (type === 'InvalidPlan') {
    const issues = Array.isArray(detail['issues']) ? (detail['issues'] as readonly unknown[]) : [];
    return new OperationError('PLAN_INVALID', `${run}: ${message}`, { outcome, type, issues });
  }
  if (type === 'InvalidInput') return new OperationError('INPUT_INVALID', `${run}: ${message}`, { outcome, type });
  const nodes = Array.isArray(detail['nodes']) ? { nodes: detail['nodes'] as readonly unknown[] } : {};
  return new OperationError('RUN_FAILED', `${run} failed: ${message}`, { outcome, type, ...nodes });
}

export interface EndReport extends EndFacts {
  readonly workflowId: string;
  readonly receipt: Receipt;
  readonly written?: string;
  /** Absent if the run is done. It may have details, such as the nodes without a result. */
  readonly error?: { readonly code: ErrorCode; readonly message: string; readonly [detail: string]: unknown };
}

export const ending = operation({
  does: 'Waits for the end of a run, and says how it ended: its outcome, its result, what had to be tried again.',
  input: (z) => z.object({ workflowId: z.string() }),
  async run(plans, { workflowId }, { signal } = {}): Promise<EndReport> {
    const { run } = await plans.run(workflowId);
    const end = await run.end(signal);
    const facts = endFacts(end);
    const ended = { workflowId, receipt: await readReceipt(run, facts.result?.ref), ...facts };
    const error = errorOfEnd(workflowId, end, plans.typed);
    if (error === undefined) {
      const { valueOf } = await import('../client/values.ts');
      const { written } = (await valueOf(run, { ...facts, effect: 'idempotent' })) ?? {};
      return { ...ended, ...given({ written }) };
    }
    // If `missing` already lists the nodes without a result, the error's details would repeat them.
    const details = facts.missing === undefined ? error.details : {};
    return { ...ended, error: { code: error.code, message: error.message, ...details } };
  },
});

/** Facts about an ended run. A fact is absent if neither the server nor a worker knows it any more. */
export interface Receipt {
  readonly ms?: number;
  readonly retried: readonly (Pick<ExecutedNode, 'id' | 'attempt' | 'before'> & { readonly key?: string })[];
  readonly approvedBy: readonly string[];
  readonly resultOf?: string;
  readonly notes?: readonly Pick<NodeView, 'id' | 'key' | 'notes'>[];
}

/** Reads what the server and the worker still know. A failed read is skipped, since the end must be reported. */
async function readReceipt(run: RunHandle, result: string | undefined): Promise<Receipt> {
  const read = <Part extends keyof RunParts>(part: Part): Promise<Partial<Pick<RunParts, Part>>> =>
    run.view([part]).catch(() => ({}));
  const [{ status = {} as Partial<RunStatus> }, { begun }, { nodes = [] }, { trace }] = await Promise.all([
    read('status'),
    read('begun'),
    read('nodes'),
    read('trace'),
  ]);
  const times = await timesOf(run, status).catch(() => undefined);
  const ms = times?.endedAt === undefined ? undefined : Date.parse(times.endedAt) - Date.parse(times.startedAt);
  const keyOf = new Map(nodes.map(({ id, key }) => [id, key]));
  const retried = (begun?.nodes ?? [])
    .filter(({ attempt }) => attempt > 1)
    .map(({ id, revision, attempt, before }) => {
      // Adds the key only for nodes of the last plan, since an earlier plan may use the id for another node.
      const key = revision === status.revision ? keyOf.get(id) : undefined;
      return given({ id, attempt, key, before });
    });
  const noted = nodes.flatMap(({ id, key, notes }) => (notes === undefined ? [] : [given({ id, key, notes })]));
  const notes = noted.length > 0 ? noted : undefined;
  const resultOf = nodes.find((node) => node.result?.ref === result)?.reusedFrom?.run;
  return { ...given({ ms, notes, resultOf }), retried, approvedBy: approversIn(trace?.entries ?? []) };
}

export function approversIn(entries: readonly TraceEntry[]): readonly string[] {
  const names = entries.flatMap((entry) => {
    if (entry.what !== 'decision' || entry.said === undefined) return [];
    const { kind, by, role } = entry.said;
    if (kind !== 'approve' && kind !== 'approve-part') return [];
    return [`${by}${role === undefined ? '' : ` as ${role}`}`];
  });
  return [...new Set(names)];
}
