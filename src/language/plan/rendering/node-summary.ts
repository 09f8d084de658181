/** One node in a few words, for the summary of its activity. */

import { cutBytes } from '../../text/index.ts';
import type { PlanNode } from '../compiled-plan.ts';
import { nodeTitle } from './plan-outline.ts';

/** Temporal keeps activity summaries short, and every one of them is in the history. */
const MAX_BYTES = 80;

/**
 * The title of a node in at most 80 bytes of UTF-8; a longer one ends in `…`, after a whole character.
 *
 * @example nodeSummary(node); // 'Find genes'
 */
export function nodeSummary(node: PlanNode): string {
  return cutBytes(nodeTitle(node), MAX_BYTES);
}
