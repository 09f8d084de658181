/** How the open plan has gone so far, for a planner that makes it anew, and for people who are told why. Pure. */

import { numbered } from './records.ts';
import { amountOf, effectOf, nodeId, type NodeStatus } from '../../protocol/index.ts';
import { cutCharacters, oneLine } from '../../plan/text/index.ts';
import type { Execution, Progress } from './in-memory.ts';

/** Failures that another plan may cure. An effect at most once that is known not to have happened is one of them. */
const CURABLE: readonly string[] = ['REPLANNING', 'RECLASSIFICATION', 'NotApplied'];
/**
 * Nodes that are named of each kind, and that a plan made anew may not have as they are.
 * @bound nodes of each state that the planner is told of when a plan is made anew
 * @beyond counted; it may leave further failed nodes as they are
 */
const NAMED = 100;
/**
 * Characters of one failure, of the one that is the reason, and of all that is told.
 * @bound {characters} the words of the failure of one of these nodes
 * @beyond cut
 */
const FAILURE = 400;
/**
 * @bound {characters} the failure for which a plan is made anew, as people are told it
 * @beyond cut
 */
const REASON = 240;
/**
 * @bound {characters} all that the planner is told of how the plan went
 * @beyond cut
 */
const TOLD = 12_000;

/** The nodes whose failure another plan may cure, in order of the plan's failures. */
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
 * The ids of nodes that would end without a result once more as they are: those whose failure another plan may cure, and those whose
 * end stays theirs. A read that has failed otherwise is tried anew.
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

/** The order in which the planner is told, with what each standing means for the plan that it makes. */
const STANDINGS: readonly (readonly [standing: readonly NodeStatus[], means: string])[] = [
  [['failed', 'uncertain'], 'failed'],
  [['cancelled'], 'cancelled by a person, and stays so'],
  [['succeeded', 'reused'], 'done; the result is kept where the node stays exactly as it is'],
  [['running'], 'under way, and goes on where the node stays exactly as it is'],
  [['waiting'], 'asks a person, and goes on asking where the node stays exactly as it is'],
  [['skipped'], 'skipped, since what it needs has no result or a person said so'],
  [['pending'], 'not begun'],
];

/** Every node by the id that it has in the plan as the planner reads it. */
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
