import { endedBy } from '../approval/approval.ts';
import {
  nodeId,
  type NodeView,
  type ResultHandle,
  type RunFailure,
  type RunResult,
  type StoppedResult,
  type UncertainEffect,
  type KeepRequest,
  ERROR_CLASSES,
  type ErrorClass,
  type FailureType,
  type ReportReply,
  type ReportRequest,
} from '../../protocol/index.ts';
import type { Closed } from '../approval/state.ts';
import { numbered } from './records.ts';
import { uncertainRemoved, inOrderOfEnd, untrustedSoFar } from './run.ts';
import { replannedText } from './replan.ts';
import type { Run } from './in-memory.ts';
import { nodeOf } from '../views/views.ts';
import { isBudgetExhausted, canBuy } from './spending/spend.ts';
import type { TaskEnd } from './task-traits.ts';
import { MAX_STEPS_NAMED } from '../loop/loop.ts';
import { beginTask } from './tasks.ts';

export type Ending =
  | { readonly ok: true; readonly outcome: 'done' | 'partial'; readonly result: RunResult }
  | { readonly ok: false; readonly failure: RunFailure };

/** Maximum number of nodes that a failure names. Every copy of the history contains the failure. */
const MAX_NODES_NAMED = 100;

/** The result of a closed run. A run that was closed early has one too, so that its work is not lost. */
export function runResult(run: Run): RunResult {
  const uncertain = [...uncertainRemoved(run), ...uncertainOpen(run)].slice(0, MAX_NODES_NAMED);
  return { ...knownResult(run), ...(uncertain.length > 0 && { uncertain }) };
}

function uncertainOpen({ execution, state: { approval } }: Run): readonly UncertainEffect[] {
  if (execution === undefined) return [];
  const { planShape, progress } = execution;
  const { digest, revision } = approval;
  return progress.status.flatMap((status, node) =>
    status === 'uncertain' ? [{ node: nodeId(node), revision, digest, summary: planShape.summaries[node]! }] : [],
  );
}

function knownResult(run: Run): RunResult {
  const { loop, approval } = run.state;
  const { digest, revision, closed } = approval;
  const { outcome, killed }: Closed = closed ?? { outcome: 'aborted' };
  const isLoopsOwn = outcome === 'done' || (outcome === loop?.outcome && killed === undefined);
  if (loop?.result !== undefined && isLoopsOwn) {
    return { outcome, digest, revision, result: loop.result };
  }
  // If a loop ended early, it has only the results of its steps.
  if ((outcome === 'done' || outcome === 'partial') && loop === undefined) {
    const ending = endingOf(run);
    if (ending.ok) return ending.result;
  }
  const stopped = { outcome: outcome as StoppedResult['outcome'], digest, revision, ...endedBy(approval) };
  if (doneIn(run) === 0 && loop?.results === undefined && outcome !== 'partial') return stopped;
  return { ...stopped, results: { ...loop?.results, ...resultsOf(run) }, missing: nodesWithout(run) };
}

export function endingOf(run: Run): Ending {
  const { execution, state } = run;
  const { planShape, progress } = execution ?? {};
  const { digest, revision } = state.approval;
  const result = progress?.handles[planShape?.root ?? 0];
  if (result !== undefined) {
    const results = planShape?.contextKeys && { results: resultsOf(run) };
    return { ok: true, outcome: 'done', result: { outcome: 'done', digest, revision, result, ...results } };
  }
  const missing = nodesWithout(run);
  if (state.options.onFailure === 'partial' || isBudgetExhausted(run)) {
    const results = resultsOf(run);
    return { ok: true, outcome: 'partial', result: { outcome: 'partial', digest, revision, results, missing } };
  }
  const total = (progress?.status.length ?? 0) - doneIn(run);
  const details = [{ nodes: missing, total }];
  return { ok: false, failure: { type: 'PlanFailed', message: failureMessage(run, missing), details } };
}

function doneIn({ execution }: Run): number {
  const { succeeded = 0, reused = 0 } = execution?.progress.counts ?? {};
  return succeeded + reused;
}

function failureMessage(run: Run, missing: readonly NodeView[]): string {
  const first = missing.find((node) => node.failure !== undefined);
  const failed = Object.keys(run.execution?.progress.failures ?? {}).length;
  const more = failed > 1 ? ` and ${failed - 1} more` : '';
  return first === undefined
    ? 'The plan has no result.'
    : `${first.id} ${first.status}${more}: ${first.failure?.message ?? ''} (${first.summary})${replannedText(run.state)}`;
}

function nodesWithout(run: Run): readonly NodeView[] {
  const missing: NodeView[] = [];
  for (let node = 0; node < (run.execution?.planShape.inputs.length ?? 0) && missing.length < MAX_NODES_NAMED; node++) {
    if (run.execution?.progress.handles[node] === undefined) missing.push(nodeOf(run, node));
  }
  return missing;
}

/** The results by context key. Without context keys: by node id, and only results that no other node used. */
function resultsOf({ execution }: Run): Record<string, ResultHandle> {
  const results: Record<string, ResultHandle> = {};
  const { planShape, progress } = execution ?? {};
  const isUsed = (node: number) => progress?.dependents[node]?.some((one) => progress.handles[one] !== undefined);
  for (const [node, handle] of numbered(progress?.handles)) {
    const key =
      planShape?.contextKeys === undefined ? (isUsed(node) ? undefined : nodeId(node)) : planShape.contextKeys[node];
    if (key !== undefined) results[key] = handle;
  }
  return results;
}

const MAX_RESULTS = 100;

/** What a run stores in its conversation (as in Osprey); undefined if it has no conversation or no result. */
export function resultsToKeep({ state, execution }: Run): KeepRequest | undefined {
  const { options, approval, parent, loop } = state;
  const { conversation } = options;
  if (conversation === undefined || parent !== undefined) return undefined;
  const { outcome = 'aborted' } = approval.closed ?? {};
  const none = { firstRunId: state.firstRunId, conversation, outcome, steps: [], left: 0 };
  const untrusted = untrustedSoFar({ state, execution }) === undefined ? {} : { untrusted: true as const };
  if (loop !== undefined) {
    const goal = 'goal' in loop.task ? loop.task.goal : '';
    return loop.result && { ...none, goal, result: loop.result.ref, ...untrusted };
  }
  if (execution === undefined) return undefined;
  const { planShape, progress } = execution;
  const { goal, root, contextKeys, revisionRef } = planShape;
  if (contextKeys === undefined) {
    const result = progress.handles[root];
    return result && { ...none, goal, result: result.ref, ...untrusted };
  }
  const steps = inOrderOfEnd(execution).flatMap((node) => {
    const handle = progress.handles[node];
    return handle === undefined ? [] : [{ nodeId: nodeId(node), ref: handle.ref }];
  });
  if (steps.length === 0) return undefined;
  const latest = steps.slice(-MAX_RESULTS);
  const isByReader = planShape.written !== undefined && { untrusted: true as const };
  return { ...none, goal, revision: revisionRef, steps: latest, left: steps.length - latest.length, ...isByReader };
}

/** Types of failures that a model explains in a failure report. A mistake in the start needs no report. */
const REPORTED: readonly FailureType[] = ['InvalidPlan', 'PlanFailed', 'IterationLimit', 'PolicyFailed'];
/** Whether the run waits for its failure report. Requests the report on the first call. */
export function isReporting(run: Run): boolean {
  const { state } = run;
  const { failure, project, cancelled, report, approval, parent } = state;
  // If an agent's run fails, the parent run reports the failure.
  if (
    failure === undefined ||
    parent !== undefined ||
    cancelled ||
    project.planner !== true ||
    approval.phase === 'closed'
  )
    return false;
  if (!REPORTED.includes(failure.type) || report === 'done') return false;
  if (report === 'none' && !canBuy(run)) state.report = 'done';
  else if (report === 'none') {
    state.report = 'asked';
    beginTask(run, { kind: 'report' });
  }
  return state.report !== 'done';
}

export function applyReport({ state }: Run, ended: TaskEnd): void {
  state.report = 'done';
  if (!ended.ok || state.failure === undefined) return;
  const { report } = ended.value as ReportReply;
  const [first, ...others] = state.failure.details;
  state.failure = { ...state.failure, details: [{ ...(first as object), report }, ...others] };
}

export function failureToReport({ state, execution }: Run): ReportRequest {
  const { failure, planning, loop, firstRunId } = state;
  const goal =
    execution?.planShape.goal ?? planning?.goal ?? (loop !== undefined && 'goal' in loop.task ? loop.task.goal : '');
  const summaries = execution?.planShape.summaries ?? [];
  const inOrder = execution === undefined ? [] : inOrderOfEnd(execution);
  const { failures = {} } = execution ?? {};
  const first = inOrder.find((node) => failures[node] !== undefined) ?? -1;
  const type = failures[first]?.type ?? (failure?.type === 'InvalidPlan' ? 'REPLANNING' : 'CRITICAL');
  // In a loop, the plan is the current step. The report names its nodes while it runs, and otherwise only steps.
  const named = (statuses: readonly string[]) =>
    loop !== undefined && loop.step === undefined
      ? []
      : inOrder
          .filter((node) => statuses.includes(execution?.progress.status[node] ?? ''))
          .map((node) => summaries[node] ?? '');
  const all = { done: named(['succeeded', 'reused']), failed: named(['failed', 'uncertain']) };
  const namesOf = (how: 'done' | 'failed') =>
    [...(loop?.past?.[how].last ?? []), ...all[how]].slice(0, MAX_STEPS_NAMED);
  const countOf = (how: 'done' | 'failed') => (loop?.past?.[how].count ?? 0) + all[how].length;
  const [done, failed] = [namesOf('done'), namesOf('failed')];
  return {
    firstRunId,
    call: 'report/1',
    severity: ERROR_CLASSES.includes(type as ErrorClass) ? (type as ErrorClass) : 'CRITICAL',
    task: goal,
    operation: all.failed[0] ?? planning?.stage ?? loop?.step?.summary ?? failed.at(-1) ?? 'the run',
    message: failure?.message ?? '',
    done,
    failed,
    counts: { done: countOf('done'), failed: countOf('failed') },
  };
}
