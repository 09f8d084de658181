/** One node in a few words, for the summary of its activity. */

import { cutBytes, oneLine } from '../../text/index.ts';
import type { PlanNode } from '../compiled-plan.ts';

/** Temporal keeps activity summaries short, and every one of them is in the history. */
const MAX_BYTES = 80;

/**
 * A node in at most 80 bytes of UTF-8, on one line: its display name, else its task. A longer one ends in `…`, after a
 * whole character.
 *
 * @example nodeSummary(node); // 'Find genes'
 */
export function nodeSummary(node: PlanNode): string {
  return cutBytes(oneLine(node.kind === 'task' ? (node.displayName ?? node.task) : node.displayName), MAX_BYTES);
}
