/** Tells the inboxes whom a run waits for, by a search attribute. Only where it is registered: an unknown one stops a run. */

import { upsertSearchAttributes } from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { rolesWaitedFor, WAITS_FOR_ATTRIBUTE, type Run } from '../run/index.ts';

const WAITS_FOR = defineSearchAttributeKey(WAITS_FOR_ATTRIBUTE, SearchAttributeType.KEYWORD_LIST);

export function showWaiting(run: Run): void {
  if (!run.project.inbox) return;
  const roles = rolesWaitedFor(run);
  if (roles.join('\n') === run.shownRoles) return;
  run.shownRoles = roles.join('\n');
  upsertSearchAttributes([{ key: WAITS_FOR, value: roles.length === 0 ? null : [...roles] }]);
}
