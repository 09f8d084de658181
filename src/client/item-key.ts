/** The key of an open item. In a file of its own, since some commands need it without a server. */

import { createHash } from 'node:crypto';
import type { OpenItem } from '../protocol/index.ts';

const KEY_DIGITS = 32;

/**
 * The key of one request of one run, about one plan with its costs and states. A repeated request has another key.
 * @example itemKey(item); // 'approval-fd7b1281-r1-5c1f...'
 */
export function itemKey({ kind, digest, revision, id, workflowId, since, shown }: OpenItem): string {
  const bound = JSON.stringify([
    kind,
    digest,
    revision,
    id,
    workflowId,
    since,
    ...(shown === undefined ? [] : [shown]),
  ]);
  const hash = createHash('sha256').update(bound).digest('hex').slice(0, KEY_DIGITS);
  return `${kind}-${digest.slice(0, 8) || 'none'}-r${revision}-${hash}`;
}
