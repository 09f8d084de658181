/** The end of a run: the result that the workflow returns, or the failure it closes with. */

import {
  nodeId,
  type NodeView,
  type ResultHandle,
  type RunFailure,
  type RunResult,
  type StoppedResult,
} from '../../protocol/index.ts';
import { replannedText } from './replan.ts';
import type { Run } from './run.ts';
import { nodeOf } from '../views/index.ts';
import { isOver } from './spending/index.ts';

export type Ending =
  | { readonly ok: true; readonly outcome: 'done' | 'partial'; readonly result: RunResult }
  | { readonly ok: false; readonly failure: RunFailure };

/** A failure is kept by the server in every copy of the history. */
const MAX_NODES_TOLD = 100;

/**
 * The result of a closed run. A run that was closed before its end has one too, since nothing that was done is lost.
 */
export function resultOf(run: Run): RunResult {
  const { digest, revision, outcome = 'aborted' } = run.dialogue.approval;
  const { loop, killed } = run.dialogue;
  const isLoopsOwn = outcome === 'done' || (outcome === loop?.outcome && killed === undefined);
  if (loop?.result !== undefined && isLoopsOwn) {
    return { outcome, digest, revision, result: loop.result };
  }
  // A loop that ended before its task was done has the results of its last step.
  if ((outcome === 'done' || outcome === 'partial') && loop === undefined) {
    const ending = endingOf(run);
    if (ending.ok) return ending.result;
  }
  const stopped = { outcome: outcome as StoppedResult['outcome'], digest, revision, ...killed };
  const done = (run.execution?.progress.counts.succeeded ?? 0) + (run.execution?.progress.counts.reused ?? 0);
  if (done === 0 && outcome !== 'partial') return stopped;
  const results = run.execution?.slice.contextKeys === undefined ? unusedResults(run) : resultsByKey(run);
  return { ...stopped, results, missing: nodesWithout(run) };
}

/** Ends a run whose nodes have all ended. */
export function endingOf(run: Run): Ending {
  const root = run.execution?.slice.root ?? 0;
  const result = run.execution?.progress.handles[root];
  const { digest, revision } = run.dialogue.approval;
  if (result !== undefined) {
    const results = run.execution?.slice.contextKeys === undefined ? {} : { results: resultsByKey(run) };
    return { ok: true, outcome: 'done', result: { outcome: 'done', digest, revision, result, ...results } };
  }
  const missing = nodesWithout(run);
  if (run.dialogue.options.onFailure === 'partial' || isOver(run)) {
    const results = run.execution?.slice.contextKeys === undefined ? unusedResults(run) : resultsByKey(run);
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

function missingTotal({ execution }: Run): number {
  const progress = execution?.progress;
  return progress === undefined ? 0 : progress.status.length - progress.counts.succeeded - progress.counts.reused;
}

function failureMessage(run: Run, missing: readonly NodeView[]): string {
  const first = missing.find((node) => node.failure !== undefined);
  const failed = run.execution?.progress.failures.size ?? 0;
  const more = failed > 1 ? ` and ${failed - 1} more` : '';
  return first === undefined
    ? 'The plan has no result.'
    : `${first.id} ${first.status}${more}: ${first.failure?.message ?? ''} (${first.summary})${replannedText(run.dialogue)}`;
}

function nodesWithout(run: Run): readonly NodeView[] {
  const missing: NodeView[] = [];
  for (let node = 0; node < (run.execution?.slice.inputs.length ?? 0) && missing.length < MAX_NODES_TOLD; node++) {
    if (run.execution?.progress.handles[node] === undefined) missing.push(nodeOf(run, node));
  }
  return missing;
}

function resultsByKey(run: Run): Record<string, ResultHandle> {
  const results: Record<string, ResultHandle> = {};
  run.execution?.progress.handles.forEach((handle, node) => {
    const key = run.execution?.slice.contextKeys?.[node];
    if (handle !== undefined && key !== undefined) results[key] = handle;
  });
  return results;
}

function unusedResults(run: Run): Record<string, ResultHandle> {
  const results: Record<string, ResultHandle> = {};
  run.execution?.progress.handles.forEach((handle, node) => {
    const used = run.execution?.progress.dependents[node]?.some(
      (dependent) => run.execution?.progress.handles[dependent] !== undefined,
    );
    if (handle !== undefined && used === false) results[nodeId(node)] = handle;
  });
  return results;
}
