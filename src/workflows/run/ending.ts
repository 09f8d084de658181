/** The end of a run: the result that the workflow returns, the failure it closes with, and what it leaves to its conversation. */

import { endedBy } from '../approval/approval.ts';
import {
  nodeId,
  type NodeView,
  type ResultHandle,
  type RunFailure,
  type RunResult,
  type StoppedResult,
  type KeepRequest,
} from '../../protocol/index.ts';
import type { Closed } from '../approval/state.ts';
import { numbered } from './records.ts';
import { uncertainRemoved } from './run.ts';
import { replannedText } from './replan.ts';
import type { Run } from './in-memory.ts';
import { nodeOf } from '../views/node-views.ts';
import { isOver } from './spending/spend.ts';
import { inOrderOfEnd } from './run.ts';

export type Ending =
  | { readonly ok: true; readonly outcome: 'done' | 'partial'; readonly result: RunResult }
  | { readonly ok: false; readonly failure: RunFailure };

/**
 * A failure is kept by the server in every copy of the history.
 * @bound nodes without a result that a failed run tells
 * @beyond `total` counts all
 */
const MAX_NODES_TOLD = 100;

/**
 * The result of a closed run. A run that was closed before its end has one too, since nothing that was done is lost.
 */
export function resultOf(run: Run): RunResult {
  const uncertain = uncertainRemoved(run);
  return { ...knownResult(run), ...(uncertain.length > 0 && { uncertain }) };
}

function knownResult(run: Run): RunResult {
  const { loop, approval } = run.dialogue;
  const { digest, revision, closed } = approval;
  const { outcome, killed }: Closed = closed ?? { outcome: 'aborted' };
  const isLoopsOwn = outcome === 'done' || (outcome === loop?.outcome && killed === undefined);
  if (loop?.result !== undefined && isLoopsOwn) {
    return { outcome, digest, revision, result: loop.result };
  }
  // A loop that ended before its task was done has the results of its steps.
  if ((outcome === 'done' || outcome === 'partial') && loop === undefined) {
    const ending = endingOf(run);
    if (ending.ok) return ending.result;
  }
  const stopped = { outcome: outcome as StoppedResult['outcome'], digest, revision, ...endedBy(approval) };
  if (doneIn(run) === 0 && loop?.results === undefined && outcome !== 'partial') return stopped;
  return { ...stopped, results: { ...loop?.results, ...resultsOf(run) }, missing: nodesWithout(run) };
}

/** Ends a run whose nodes have all ended. */
export function endingOf(run: Run): Ending {
  const { execution, dialogue } = run;
  const { slice, progress } = execution ?? {};
  const { digest, revision } = dialogue.approval;
  const result = progress?.handles[slice?.root ?? 0];
  if (result !== undefined) {
    const results = slice?.contextKeys && { results: resultsOf(run) };
    return { ok: true, outcome: 'done', result: { outcome: 'done', digest, revision, result, ...results } };
  }
  const missing = nodesWithout(run);
  if (dialogue.options.onFailure === 'partial' || isOver(run)) {
    const results = resultsOf(run);
    return { ok: true, outcome: 'partial', result: { outcome: 'partial', digest, revision, results, missing } };
  }
  const total = (progress?.status.length ?? 0) - doneIn(run);
  const details = [{ nodes: missing, total }];
  return { ok: false, failure: { type: 'PlanFailed', message: failureMessage(run, missing), details } };
}

/** Nodes that have a result. */
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
    : `${first.id} ${first.status}${more}: ${first.failure?.message ?? ''} (${first.summary})${replannedText(run.dialogue)}`;
}

function nodesWithout(run: Run): readonly NodeView[] {
  const missing: NodeView[] = [];
  for (let node = 0; node < (run.execution?.slice.inputs.length ?? 0) && missing.length < MAX_NODES_TOLD; node++) {
    if (run.execution?.progress.handles[node] === undefined) missing.push(nodeOf(run, node));
  }
  return missing;
}

/** The results by context key; of a plan without such keys by node, those that no other result was made of. */
function resultsOf({ execution }: Run): Record<string, ResultHandle> {
  const results: Record<string, ResultHandle> = {};
  const { slice, progress } = execution ?? {};
  const isUsed = (node: number) => progress?.dependents[node]?.some((one) => progress.handles[one] !== undefined);
  for (const [node, handle] of numbered(progress?.handles)) {
    const key = slice?.contextKeys === undefined ? (isUsed(node) ? undefined : nodeId(node)) : slice.contextKeys[node];
    if (key !== undefined) results[key] = handle;
  }
  return results;
}

/**
 * The most results that one run leaves; the last that ended are kept.
 * @bound results that a run leaves in its conversation
 * @beyond the last ones; the rest counted
 */
const MAX_KEPT = 100;

/** The results that a run of a conversation leaves there (Osprey: context reuse); undefined where it is of none, or has no result. */
export function keepRequest({ dialogue, execution }: Run): KeepRequest | undefined {
  const { options, approval, parent, loop } = dialogue;
  const { conversation } = options;
  // The findings of an agent are the result of the node that it carries out.
  if (conversation === undefined || parent !== undefined) return undefined;
  const { outcome = 'aborted' } = approval.closed ?? {};
  const none = { chain: dialogue.chain, conversation, outcome, steps: [], left: 0 };
  if (loop !== undefined) {
    const goal = 'goal' in loop.task ? loop.task.goal : '';
    return loop.result && { ...none, goal, result: loop.result.ref };
  }
  if (execution === undefined) return undefined;
  const { slice, progress } = execution;
  const { goal, root, contextKeys, revisionRef } = slice;
  if (contextKeys === undefined) {
    const result = progress.handles[root];
    return result && { ...none, goal, result: result.ref };
  }
  const steps = inOrderOfEnd(execution).flatMap((node) => {
    const handle = progress.handles[node];
    return handle === undefined ? [] : [{ nodeId: nodeId(node), ref: handle.ref }];
  });
  if (steps.length === 0) return undefined;
  const kept = steps.slice(-MAX_KEPT);
  return { ...none, goal, revision: revisionRef, steps: kept, left: steps.length - kept.length };
}
