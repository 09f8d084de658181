/** What a run shows without being asked: to the inboxes, whom it waits for. */

import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import { WAITS_FOR_ATTRIBUTE } from '../contract/index.ts';
import { rolesWaitedFor, type Run } from '../run/index.ts';

const WAITS_FOR = defineSearchAttributeKey(WAITS_FOR_ATTRIBUTE, SearchAttributeType.KEYWORD_LIST);

/** Once a turn. Only where the attribute is registered: an unknown one stops a run. */
export function showWaiting(run: Run): void {
  if (!run.isNews) return;
  run.isNews = false;
  const { dialogue } = run;
  if (!dialogue.project.inbox) return;
  const roles = rolesWaitedFor(run);
  if (roles.join('\n') === dialogue.shownRoles) return;
  dialogue.shownRoles = roles.join('\n');
  upsertSearchAttributes([{ key: WAITS_FOR, value: roles.length === 0 ? null : [...roles] }]);
}
