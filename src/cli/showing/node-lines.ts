/** Nodes of a run as lines of text: how they stand, and why one has no result. */

import type { AttemptView } from '../../client/index.ts';
import type { NodeView, ResultHandle } from '../../contract/index.ts';
import { table } from './table.ts';

export function nodeLines(nodes: readonly NodeView[]): string[] {
  return table(nodes.map((node) => [node.id, node.status, amount(node), tellingOf(node)])).split('\n');
}

/** `1,234 records`, `1 value` or `120 characters`; `''` without a result. */
export function amount({ result }: Pick<NodeView, 'result'>): string {
  return result === undefined ? '' : amountOf(result);
}

export function amountOf({ kind, count }: ResultHandle): string {
  const number = count.toLocaleString('en-US');
  if (kind === 'set') return `${number} record${count === 1 ? '' : 's'}`;
  return kind === 'text' ? `${number} character${count === 1 ? '' : 's'}` : 'a value';
}

/** `attempt 3 is carried out by 4711@host; 1 failed (timed out), 1 ended without a word or through no fault of its own` */
export function attemptText({ attempt, state, worker, failures, others, lastFailure }: AttemptView): string {
  const by = worker === undefined || state === 'waits for a worker' ? '' : ` by ${worker}`;
  const last = lastFailure === undefined ? '' : `; the last ended with: ${lastFailure.replaceAll(/\s+/g, ' ')}`;
  const before = attempt === 1 ? '' : `; before it ${failures} failed, and ${others} ended without its doing`;
  return `attempt ${attempt} ${state}${by}${before}${last}`;
}

function tellingOf({ summary, failure, cause }: NodeView): string {
  if (failure !== undefined) return `${summary}: ${failure.type}: ${failure.message.replaceAll(/\s+/g, ' ')}`;
  return cause === undefined ? summary : `${summary}: needs ${cause}`;
}
