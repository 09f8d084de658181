import { oneLine } from './one-line.ts';
import type { PlanNode } from './compiled-plan.ts';

/** Temporal keeps activity summaries short, and every one of them is in the history. */
const MAX_BYTES = 80;

/**
 * A node in at most 80 bytes of UTF-8, on one line: its display name, else its task. What is longer ends in `…`,
 * after a whole character.
 */
export function nodeSummary(node: PlanNode): string {
  const text = oneLine(node.kind === 'task' ? (node.displayName ?? node.task) : node.displayName);
  let bytes = 0;
  let fitting = '';
  for (const { segment } of new Intl.Segmenter('en').segment(text.slice(0, MAX_BYTES + 1))) {
    bytes += utf8Length(segment);
    if (bytes <= MAX_BYTES - utf8Length('…')) fitting += segment;
    if (bytes > MAX_BYTES) return `${fitting}…`;
  }
  return text;
}

function utf8Length(text: string): number {
  return new TextEncoder().encode(text).length;
}
