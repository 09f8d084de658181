/** The progress of the open plan as text: for the planner that replans it, and for people. Pure. */

import { numbered } from './records.ts';
import { amountOf, effectOf, nodeId, type NodeStatus } from '../../protocol/index.ts';
import { cutCharacters, oneLine } from '../../plan/text/index.ts';
import type { Execution, Progress } from './in-memory.ts';

/** Failures that another plan may avoid, including an effect at most once that certainly did not happen. */
const CURABLE: readonly string[] = ['REPLANNING', 'RECLASSIFICATION', 'NotApplied'];
/** Nodes named of each state, and nodes that the new plan may not contain unchanged. */
const NAMED = 100;
/** Characters of the failure of one node. */
const FAILURE = 400;
/** Characters of the failure that is the reason of a replan, as people see it. */
const REASON = 240;
/** Characters of the whole text for the planner. */
const TOLD = 12_000;

/** The nodes whose failure another plan may avoid, in the order of the plan's failures. */
export function* curable({ status, failures, unsettled }: Progress): Generator<number> {
  for (const [node, { type }] of numbered(failures)) {
    if (status[node] === 'failed' && CURABLE.includes(type) && unsettled[node] === undefined) yield node;
  }
}

/** @example 'node_2 (Read the list) failed as REPLANNING: there is no file "a.bed"; and 1 more node' */
export function whyAnew({ slice, progress }: Execution, failed: readonly number[]): string {
  const [first = 0, ...others] = failed;
  const { type = '', message = '' } = progress.failures[first] ?? {};
  const more = others.length === 0 ? '' : `; and ${others.length} more node${others.length === 1 ? '' : 's'}`;
  const title = oneLine(slice.summaries[first] ?? '');
  return `${nodeId(first)} (${title}) failed as ${type}: ${cutCharacters(oneLine(message), REASON)}${more}`;
}

/**
 * The ids of nodes that would fail again unchanged: another plan may avoid their failure, or their end is final. A read
 * that failed otherwise runs again.
 */
export function lostNodes({ slice, progress: { status } }: Execution, failed: readonly number[]): readonly string[] {
  const cured = new Set(failed);
  const lost: string[] = [];
  for (const [node, now] of status.entries()) {
    const isLost = cured.has(node) || now === 'cancelled' || (now === 'failed' && effectOf(slice, node) !== 'read');
    if (isLost && lost.push(nodeId(node)) === NAMED) break;
  }
  return lost;
}

/** The states in the order of the text, each with its meaning for the next plan. */
const STANDINGS: readonly (readonly [standing: readonly NodeStatus[], means: string])[] = [
  [['failed', 'uncertain'], 'failed'],
  [['cancelled'], 'cancelled by a person, and stays so'],
  [['succeeded', 'reused'], 'done; the result is kept where the node stays exactly as it is'],
  [['running'], 'under way, and goes on where the node stays exactly as it is'],
  [['waiting'], 'asks a person, and goes on asking where the node stays exactly as it is'],
  [['skipped'], 'skipped, since what it needs has no result or a person said so'],
  [['pending'], 'not begun'],
];

/** Every node by its id in the plan that the planner reads. */
export function howItWent({ slice, progress }: Execution): string {
  const lines: string[] = [];
  for (const [standings, means] of STANDINGS) {
    const nodes = progress.status.flatMap((now, node) => (standings.includes(now) ? [node] : []));
    if (nodes.length === 0) continue;
    lines.push(`${means}:`);
    for (const node of nodes.slice(0, NAMED)) {
      const failure = progress.failures[node];
      const handle = progress.handles[node];
      const told =
        failure !== undefined
          ? `, ${failure.type}: ${cutCharacters(oneLine(failure.message), FAILURE)}`
          : handle === undefined
            ? ''
            : `, ${amountOf(handle)}`;
      lines.push(`- ${slice.contextKeys?.[node] ?? nodeId(node)}${told}`);
    }
    if (nodes.length > NAMED) lines.push(`- and ${nodes.length - NAMED} more`);
  }
  return cutCharacters(lines.join('\n'), TOLD);
}
