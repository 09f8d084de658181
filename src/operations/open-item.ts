/** An open item for those who answer it elsewhere: a key that stands for exactly this request. */

import { createHash } from 'node:crypto';
import type { OpenItem } from '../protocol/index.ts';

/** Hex digits of the hash in a key: 128 bits. */
const KEY_DIGITS = 32;

/**
 * Stands for one request of one run, once: bound to its kind, the whole digest and the revision of its plan, the item, the
 * run, and the time since which it waits. What is asked again has another key.
 * @example itemKey(item); // 'approval-fd7b1281-r1-5c1f...'
 */
export function itemKey({ kind, digest, revision, id, workflowId, since }: OpenItem): string {
  const bound = JSON.stringify([kind, digest, revision, id, workflowId, since]);
  const hash = createHash('sha256').update(bound).digest('hex').slice(0, KEY_DIGITS);
  return `${kind}-${digest.slice(0, 8) || 'none'}-r${revision}-${hash}`;
}
