/** What has begun to wait for a person, and what waits no more, from one view of a run to the next. */

import type { OpenItem } from '../protocol/index.ts';

export interface OpenChanges {
  readonly opened: readonly OpenItem[];
  readonly closed: readonly OpenItem[];
}

/**
 * The items that wait for a person in the second list and not in the first, and the other way round. Another plan, or
 * another role that is waited for, is news; a carried question is not.
 */
export function openChanges(before: readonly OpenItem[], now: readonly OpenItem[]): OpenChanges {
  const [old, fresh] = [before, now].map((items) => new Set(items.map(openKey)));
  return {
    opened: now.filter((item) => old?.has(openKey(item)) !== true),
    closed: before.filter((item) => fresh?.has(openKey(item)) !== true),
  };
}

/** Names an open item, whichever view it is in. */
export function openKey({ workflowId, id, since, send }: OpenItem): string {
  return JSON.stringify([workflowId, id, since, send]);
}
