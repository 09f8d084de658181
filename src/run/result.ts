/** How a run ends: what the workflow returns, or the failure it closes with. */

import type { Outcome } from './approval.ts';
import type { FailureType } from './failure-types.ts';
import type { ResultHandle } from './progress.ts';
import type { Run } from './run.ts';
import { nodeId } from './slice.ts';
import { nodeOf, type NodeView } from './views.ts';

/** What planWorkflow returns when it completes. Contents stay in the result store; handles say where. */
export interface RunResult {
  readonly outcome: Outcome;
  readonly digest: string;
  readonly revision: number;
  /** The result of the plan's root. */
  readonly result?: ResultHandle;
  /** Of a list of steps: every result by its context key. Of a partial tree: what nothing finished has used, by node id. */
  readonly results?: Readonly<Record<string, ResultHandle>>;
  /** Of a partial run: the nodes without a result, at most 100, and why. */
  readonly missing?: readonly NodeView[];
}

export interface RunFailure {
  readonly type: FailureType;
  readonly message: string;
  readonly details: readonly unknown[];
}

export type Ending =
  | { readonly ok: true; readonly outcome: 'done' | 'partial'; readonly result: RunResult }
  | { readonly ok: false; readonly failure: RunFailure };

/** A failure is kept by the server in every copy of the history. */
const MAX_NODES_TOLD = 100;

/** What a run leaves that was closed before its end: nothing that was done is lost. */
export function closedResult(run: Run): RunResult {
  const { digest, revision, outcome = 'aborted' } = run.approval;
  const done = (run.progress?.counts.succeeded ?? 0) + (run.progress?.counts.reused ?? 0);
  if (done === 0) return { outcome, digest, revision };
  const results = run.slice?.contextKeys === undefined ? unusedResults(run) : resultsByKey(run);
  return { outcome, digest, revision, results, missing: nodesWithout(run) };
}

/** Ends a run whose nodes have all ended. */
export function endingOf(run: Run): Ending {
  const root = run.slice?.root ?? 0;
  const result = run.progress?.handles[root];
  const { digest, revision } = run.approval;
  if (result !== undefined) {
    const results = run.slice?.contextKeys === undefined ? {} : { results: resultsByKey(run) };
    return { ok: true, outcome: 'done', result: { outcome: 'done', digest, revision, result, ...results } };
  }
  const missing = nodesWithout(run);
  if (run.options.onFailure === 'partial') {
    const results = run.slice?.contextKeys === undefined ? unusedResults(run) : resultsByKey(run);
    return { ok: true, outcome: 'partial', result: { outcome: 'partial', digest, revision, results, missing } };
  }
  return {
    ok: false,
    failure: {
      type: 'PlanFailed',
      message: failureMessage(run, missing),
      details: [{ nodes: missing, total: missingTotal(run) }],
    },
  };
}

function missingTotal({ progress }: Run): number {
  return progress === undefined ? 0 : progress.status.length - progress.counts.succeeded - progress.counts.reused;
}

function failureMessage(run: Run, missing: readonly NodeView[]): string {
  const first = missing.find((node) => node.failure !== undefined);
  const failed = run.progress?.failures.size ?? 0;
  const more = failed > 1 ? ` and ${failed - 1} more` : '';
  return first === undefined
    ? 'The plan has no result.'
    : `${first.id} ${first.status}${more}: ${first.failure?.message ?? ''} (${first.summary})`;
}

function nodesWithout(run: Run): readonly NodeView[] {
  const missing: NodeView[] = [];
  for (let node = 0; node < (run.slice?.inputs.length ?? 0) && missing.length < MAX_NODES_TOLD; node++) {
    if (run.progress?.handles[node] === undefined) missing.push(nodeOf(run, node));
  }
  return missing;
}

function resultsByKey(run: Run): Record<string, ResultHandle> {
  const results: Record<string, ResultHandle> = {};
  run.progress?.handles.forEach((handle, node) => {
    const key = run.slice?.contextKeys?.[node];
    if (handle !== undefined && key !== undefined) results[key] = handle;
  });
  return results;
}

function unusedResults(run: Run): Record<string, ResultHandle> {
  const results: Record<string, ResultHandle> = {};
  run.progress?.handles.forEach((handle, node) => {
    const used = run.progress?.dependents[node]?.some((dependent) => run.progress?.handles[dependent] !== undefined);
    if (handle !== undefined && used === false) results[nodeId(node)] = handle;
  });
  return results;
}
