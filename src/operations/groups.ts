/** Waits that ask the same: of equal plans one answer does for all. */

import type { OpenItem } from '../wire/contract/index.ts';

/** Equal waits, the oldest first, and the runs to address. */
export interface WaitGroup {
  readonly item: OpenItem;
  readonly workflowIds: readonly string[];
}

/**
 * The waits of runs, those that ask the same of the same plan together, in the order of the oldest of each. Two ask the same
 * where a person reads the same of both: the plan, the words, the roles, what would begin.
 * @example groupWaits(inbox.items); // [{ item, workflowIds: ['plan-1', 'plan-2'] }]
 */
export function groupWaits(items: readonly OpenItem[]): readonly WaitGroup[] {
  const groups = new Map<string, { readonly item: OpenItem; readonly workflowIds: string[] }>();
  for (const item of items) {
    const { workflowId, since: _since, deadline: _deadline, ...asked } = item;
    const key = JSON.stringify(asked);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { item, workflowIds: [workflowId] });
    else group.workflowIds.push(workflowId);
  }
  return [...groups.values()];
}
